"""Draw the README's picture: python bench/pictures.py"""

from pathlib import Path

import dagdecor as dd
from dagdecor.plot import picture

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"


def main():
    drawn = dd.simulate.draw("local", seed=0)
    model = dd.Decor().fit(drawn.X)
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "fitted.svg").write_bytes(picture(model.fit_, "svg"))
    print(dd.metrics.compare(drawn.graph, model.graph_))


if __name__ == "__main__":
    main()
