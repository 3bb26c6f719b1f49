"""Prices: where a figure comes from, and what is said where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra import catalog
from gpuinfra.catalog import Catalog, CatalogError
from gpuinfra.catalog.pricing import PriceLines
from gpuinfra.vocabulary import Provider

HEAD = "provider,region,instance_type,on_demand_usd_hour,spot_usd_hour,zones,weak,as_of,as_of_basis,spot_as_of,source\n"
GOOD = "aws,r-1,x1.large,2.5,1,,,2026-01-01,stated,2025-10,a page\n"


def prices(tmp_path: Path, rows: str, derived: str = "") -> Catalog:
    (tmp_path / "aws").mkdir(exist_ok=True)
    (tmp_path / "aws" / "prices.csv").write_text(HEAD + rows, encoding="utf-8")
    if derived:
        (tmp_path / "aws" / "prices_derived.csv").write_text(derived, encoding="utf-8")
    return Catalog(tmp_path)


def test_a_price_that_was_read() -> None:
    found = catalog.price(Provider.AWS, "us-east-1", "p5.48xlarge")
    assert found is not None
    assert (found.on_demand_usd_hour, found.as_of, found.as_of_basis) == (55.04, "2026-07-20", "stated")
    assert not found.estimate
    assert found.source
    assert found.estimate_method == ""


def test_a_derived_price_is_an_estimate_and_says_how() -> None:
    found = catalog.price(Provider.AWS, "af-south-1", "g4dn.2xlarge")
    assert found is not None
    assert found.estimate
    assert found.spot_usd_hour is None
    assert "g4dn.16xlarge" in found.estimate_method
    assert found.as_of == "2025-10"


@pytest.mark.parametrize(
    ("provider", "region", "name"),
    [
        (Provider.AWS, "us-west-2", "p6-b300.48xlarge"),
        (Provider.AWS, "us-east-1", "p6e-gb200.36xlarge"),
        (Provider.AWS, "us-east-1", "m7i.xlarge"),
        (Provider.GCP, "us-central1", "a4x-highgpu-4g"),
        (Provider.AZURE, "eastus", "Standard_ND128isr_GB300_v6"),
        (Provider.AWS, "nowhere-1", "p5.48xlarge"),
    ],
)
def test_a_price_that_no_table_has_is_unknown(provider: Provider, region: str, name: str) -> None:
    assert catalog.price(provider, region, name) is None


def test_a_spot_figure_that_is_a_floor_or_a_ceiling_is_marked() -> None:
    floor = catalog.price(Provider.AWS, "ap-southeast-3", "p5.48xlarge")
    assert floor is not None
    assert floor.spot_weak
    assert floor.spot_usd_hour == 7.5955
    market = catalog.price(Provider.AWS, "us-east-2", "p5.48xlarge")
    assert market is not None
    assert not market.spot_weak


def test_a_spot_figure_may_stand_alone() -> None:
    found = catalog.price(Provider.GCP, "us-central1", "a4-highgpu-8g")
    assert found is not None
    assert found.on_demand_usd_hour is None
    assert found.spot_usd_hour


def test_the_region_goes_before_the_derived_and_that_before_the_price_for_everywhere(tmp_path: Path) -> None:
    derived = (
        "provider,region,instance_type,on_demand_usd_hour,zones,basis_instance_type,method,as_of,source\n"
        "aws,r-2,x1.large,3,,x1.small,ratio,2026,a page\naws,r-1,x1.large,9,,x1.small,ratio,2026,a page\n"
    )
    table = prices(tmp_path, GOOD + GOOD.replace("r-1", "*").replace("2.5", "7"), derived)
    found = [table.price(Provider.AWS, region, "x1.large") for region in ("r-1", "r-2", "r-3")]
    assert [(p.on_demand_usd_hour, p.estimate, p.region) for p in found if p] == [
        (2.5, False, "r-1"),
        (3.0, True, "r-2"),
        (7.0, False, "*"),
    ]
    assert table.regions(Provider.AWS) == ("r-1",)


def test_a_quoted_cell_with_a_comma_is_one_cell(tmp_path: Path) -> None:
    found = prices(tmp_path, GOOD.replace("a page", '"a page, and another"')).price(Provider.AWS, "r-1", "x1.large")
    assert found is not None
    assert found.source == "a page, and another"


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        (GOOD.replace("a page", ""), 2, "the row has no source"),
        (GOOD + GOOD, 3, "repeats line 2: r-1,x1.large"),
        (GOOD + "aws,r-1\n", 3, "fewer cells"),
        (GOOD + "\n" + GOOD.replace("r-1", "r-2"), 3, "fewer cells"),
        (GOOD.replace("2026-01-01,stated", ",stated"), 2, "the row has no date"),
        (GOOD.replace("2.5", "cheap"), 2, "column on_demand_usd_hour: 'cheap' is not a number"),
        (GOOD.replace("2.5", "0"), 2, "a price of 0 is no price"),
        (GOOD.replace("2.5,1,", "2.5,-1,"), 2, "column spot_usd_hour: '-1' is not a number of 0 or more"),
        (GOOD.replace(",stated,", ",stated,,"), 2, "12 cells where the header has 11 columns"),
        (GOOD.replace("aws,", "acme,", 1), 2, "column provider: 'acme'"),
    ],
)
def test_a_faulty_price_is_refused_with_file_and_line(tmp_path: Path, rows: str, line: int, message: str) -> None:
    table = prices(tmp_path, rows)
    with pytest.raises(CatalogError) as caught:
        table.price(Provider.AWS, "r-1", "x1.large")
    assert (caught.value.path, caught.value.line) == (tmp_path / "aws" / "prices.csv", line)
    assert message in caught.value.message


@pytest.mark.parametrize(
    "head", ["region,provider,instance_type,as_of,source", "provider,region,instance_type,source,as_of"]
)
def test_a_price_table_with_its_columns_in_another_order_is_refused(tmp_path: Path, head: str) -> None:
    (tmp_path / "prices.csv").write_text(f"{head}\n", encoding="utf-8")
    with pytest.raises(CatalogError, match=r"prices\.csv:1: the columns of a price table"):
        PriceLines(tmp_path / "prices.csv")


def test_a_price_table_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "prices.csv").write_bytes(HEAD.encode() + b"\xff")
    with pytest.raises(CatalogError, match="not UTF-8"):
        PriceLines(tmp_path / "prices.csv")


names = st.text("abcdefgh0123456789.-", min_size=1, max_size=12)


@given(st.dictionaries(st.tuples(names, names), st.integers(1, 10**6), max_size=30))
def test_each_pair_finds_its_own_price_and_no_other(pairs: dict[tuple[str, str], int]) -> None:
    lines = PriceLines(Path("not a file"))
    lines.index(HEAD + "".join(f"aws,{r},{n},{usd},,,,2026,stated,,a page\n" for (r, n), usd in pairs.items()))
    for (region, name), usd in pairs.items():
        row = lines.find(region, name)
        assert row is not None
        assert row.number("on_demand_usd_hour") == usd
        assert (row.text("region"), row.text("instance_type")) == (region, name)
    assert lines.find("zzz", "zzz") is None
    assert set(lines.regions) == {region for region, _ in pairs}
