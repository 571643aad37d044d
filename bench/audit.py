"""Known vulnerabilities among the pinned development packages, or a clear word that none is known.

python bench/audit.py tests/constraints/dev.txt
"""

import json
import subprocess
import sys


def main() -> None:
    """Exit code 1 on a vulnerability, 2 where packages could not be looked up."""
    run = subprocess.run(
        [sys.executable, "-m", "pip_audit", "--requirement", sys.argv[1], "--disable-pip",
         "--require-hashes", "--format", "json", "--progress-spinner", "off"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if not run.stdout.startswith("{"):
        last = run.stderr.strip().splitlines()[-1:] or ["no answer"]
        sys.stderr.write(f"audit: not possible here: {last[0]}\n")
        sys.exit(2)
    packages = json.loads(run.stdout)["dependencies"]
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    found = [package for package in packages if package.get("vulns")]
    for package in found:
        known = ", ".join(flaw["id"] for flaw in package["vulns"])
        print(f"{package['name']} {package['version']}: {known}")
    looked = len(packages) - len(skipped)
    print(f"{len(packages)} packages, {looked} looked up, {len(found)} with known vulnerabilities")
    if found:
        sys.exit(1)
    if skipped:
        sys.stderr.write(
            f"audit: the index that this machine uses answers nothing about {len(skipped)} "
            "packages: nothing is known about them, run it where pypi.org can be reached\n"
        )
        sys.exit(2)


if __name__ == "__main__":
    main()
