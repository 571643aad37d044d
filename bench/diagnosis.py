"""How often a clean normal table raises an alarm, by kind.

python bench/diagnosis.py [--draws 200] [--first 0]
"""

import argparse
from collections import Counter

import dagdecor as dd

DESIGNS = {
    "paper": {},
    "local": {},
    "moderate": {"n": 200},
    "pervasive": {},
    "abic": {},
    "rbap": {"n": 500},
    "four-node": {"n": 50},
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.draws)
    print(f"dagdecor {dd.__version__}, seeds {seeds[0]} to {seeds[-1]}\n")
    print("| design | tables with a warning | by kind |\n|---|---|---|")
    for name, drawing in DESIGNS.items():
        kinds, alarmed = Counter(), 0
        for seed in seeds:
            found = dd.diagnose(dd.simulate.draw(name, seed=seed, **drawing).X)
            told = {f.kind for f in found.findings if f.severity != "note"}
            kinds.update(told)
            alarmed += bool(told)
        listed = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()) or "-"
        print(f"| {name} | {alarmed}/{len(seeds)} | {listed} |", flush=True)


if __name__ == "__main__":
    main()
