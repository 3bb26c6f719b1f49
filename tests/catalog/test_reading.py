"""A table that cannot be trusted is refused with its file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuinfra.catalog import Catalog, CatalogError, Miss
from gpuinfra.catalog.reading import Row, Table
from gpuinfra.vocabulary import CapacityType, Provider, StorageKind

INSTANCES = "provider,instance_type,family,gpu_model,gpu_count,gpu_memory_gib,vcpus,memory_gib,fabric,nvlink,weak,as_of,source\n"
GOOD = "aws,x1.large,x1,L4,1,22.352,8,32,none,no,,2026-01-01,a page\n"


def folder(tmp_path: Path, **tables: str) -> Catalog:
    """A catalog over a folder that holds these tables: `aws_prices=…` is aws/prices.csv, `gpus=…` is gpus.csv."""
    for name, text in tables.items():
        cloud, _, table = name.partition("_")
        path = tmp_path / cloud / f"{table}.csv" if table else tmp_path / f"{cloud}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Catalog(tmp_path)


def refused(catalog: Catalog, name: str = "x1.large") -> CatalogError:
    with pytest.raises(CatalogError) as caught:
        catalog.instance_type(Provider.AWS, name)
    assert str(caught.value).startswith(f"{caught.value.path}:{caught.value.line}: ")
    return caught.value


def test_the_good_row_that_the_faulty_ones_vary_loads(tmp_path: Path) -> None:
    found = folder(tmp_path, aws_instances=INSTANCES + GOOD).instance_type(Provider.AWS, "x1.large")
    assert not isinstance(found, Miss)
    assert (found.vcpus, found.gpu_memory_gib, found.nvlink, found.local_nvme_gb) == (8, 22.352, False, None)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (GOOD.replace("a page", ""), "the row has no source"),
        (GOOD.replace("a page", "  "), "the row has no source"),
        (GOOD.replace("2026-01-01", ""), "the row has no date"),
        (GOOD.replace(",no,", ",maybe,"), "column nvlink: 'maybe' is neither yes nor no"),
        (GOOD.replace(",8,", ",eight,"), "column vcpus: 'eight' is not a whole number"),
        (GOOD.replace(",8,", ",-8,"), "column vcpus: '-8' is not a whole number"),
        (GOOD.replace(",8,", ",٨,"), "is not a whole number"),
        (GOOD.replace("22.352", "nan"), "column gpu_memory_gib: 'nan' is not a number"),
        (GOOD.replace("22.352", "much"), "column gpu_memory_gib: 'much' is not a number"),
        (GOOD.replace(",none,", ",ethernet,"), "column fabric: 'ethernet' is none of none, efa"),
        (GOOD.replace(",L4,1,", ",L4,,"), "column gpu_count is empty"),
        (GOOD.replace("aws,", "acme,", 1), "column provider: 'acme' is none of aws, gcp, azure"),
        (GOOD.replace(",no,,", ",no,colour,"), "column weak: 'colour' is no column"),
        (GOOD.replace(",no,,", ",no,"), "12 cells where the header has 13 columns"),
        (GOOD.replace("a page", '"a page'), "unexpected end of data"),
        (GOOD + GOOD, "repeats line 3: x1.large"),
    ],
)
def test_a_faulty_row_is_refused_with_file_and_line(tmp_path: Path, row: str, message: str) -> None:
    other = GOOD.replace("x1.large", "x1.small")
    error = refused(folder(tmp_path, aws_instances=INSTANCES + other + row))
    assert error.path == tmp_path / "aws" / "instances.csv"
    assert message in error.message
    assert error.line == 2 + row.count("\n")


def test_a_table_without_a_column_for_the_source_is_refused(tmp_path: Path) -> None:
    error = refused(folder(tmp_path, aws_instances="provider,instance_type,as_of\naws,x1.large,2026-01-01\n"))
    assert error.line == 1
    assert "no column source" in error.message


def test_a_table_without_a_header_is_refused(tmp_path: Path) -> None:
    assert "no header" in refused(folder(tmp_path, aws_instances="")).message


def test_a_header_that_repeats_a_column_is_refused(tmp_path: Path) -> None:
    error = refused(folder(tmp_path, aws_instances="instance_type,source,as_of,source\n"))
    assert "repeats a column" in error.message


def test_a_table_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    catalog = folder(tmp_path, aws_instances=INSTANCES)
    (tmp_path / "aws" / "instances.csv").write_bytes(INSTANCES.encode() + b"\xff\xfe")
    assert "not UTF-8" in refused(catalog).message


def test_a_date_may_be_missing_where_the_row_says_that_its_source_is_undated(tmp_path: Path) -> None:
    head = "provider,region,instance_type,zones,as_of,as_of_basis,source\n"
    good = head + "aws,r-1,x1.large,z1;z2,,undated,a page\n"
    found = folder(tmp_path, aws_availability=good).zones(Provider.AWS, "r-1", "x1.large")
    assert found is not None
    assert found.zones == ("z1", "z2")
    assert found.as_of_basis == "undated"
    with pytest.raises(CatalogError, match=r"availability\.csv:2: the row has no date"):
        folder(tmp_path, aws_availability=good.replace("undated", "guessed")).zones(Provider.AWS, "r-1", "x1.large")


def test_a_folder_without_a_table_has_no_rows_of_it(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    assert isinstance(catalog.instance_type(Provider.AWS, "p5.48xlarge"), Miss)
    assert catalog.prices() == ()
    assert catalog.regions(Provider.GCP) == ()
    assert catalog.accelerators() == ()
    assert catalog.purchase_option(Provider.AWS, "p5.48xlarge", CapacityType.SPOT) is None
    assert catalog.storage_tiers(Provider.AWS, StorageKind.LUSTRE) == ()


def test_a_table_is_read_once(tmp_path: Path) -> None:
    catalog = folder(tmp_path, aws_instances=INSTANCES + GOOD)
    first = catalog.instance_type(Provider.AWS, "x1.large")
    (tmp_path / "aws" / "instances.csv").unlink()
    assert catalog.instance_type(Provider.AWS, "x1.large") is first


@pytest.mark.parametrize(
    ("cards", "most", "efa", "message"),
    [
        ("2", "4;4;4", "0-1", "3 entries for 2 cards"),
        ("2", "4;4", "1-2", "does not fit 2 cards"),
        ("2", "4;4", "1;1", "does not fit 2 cards"),
        ("2", "4;x", "1", "'x' is neither a whole number nor a range"),
        ("2", "4;4", "0-", "'0-' is neither a whole number nor a range"),
    ],
)
def test_network_cards_that_contradict_themselves_are_refused(
    tmp_path: Path, cards: str, most: str, efa: str, message: str
) -> None:
    head = "instance_type,cards,max_interfaces,efa_cards,efa_interface_type,max_efa,as_of,source\n"
    catalog = folder(tmp_path, aws_network_cards=f"{head}x1.large,{cards},{most},{efa},efa-only,1,2026,a page\n")
    with pytest.raises(CatalogError, match=message):
        catalog.network_cards("x1.large")


@pytest.mark.parametrize("slots", ["", "GVNIC", "GVNIC:", ":host"])
def test_an_interface_without_kind_or_network_is_refused(tmp_path: Path, slots: str) -> None:
    head = "pattern,family,slots,mtu_host,rdma_subnets,boot_disk,local_ssd_bundled,as_of,source\n"
    catalog = folder(tmp_path, gcp_nics=f"{head}*,other,{slots},1460,0,pd-balanced,0,2026,a page\n")
    with pytest.raises(CatalogError, match=r"nics\.csv:2: column slots"):
        catalog.nic_layout("n1-standard-8")


def test_the_longest_pattern_wins_and_a_table_without_a_match_is_refused(tmp_path: Path) -> None:
    head = "pattern,family,slots,mtu_host,rdma_subnets,boot_disk,local_ssd_bundled,as_of,source\n"
    row = "{},{},GVNIC:host,1460,0,pd-balanced,0,2026,a page\n"
    text = head + row.format("a3-*", "prefix") + row.format("a3-high*", "longer") + row.format("a3-highgpu-8g", "name")
    catalog = folder(tmp_path, gcp_nics=text)
    assert [catalog.nic_layout(n).family for n in ("a3-mega", "a3-highgpu-4g", "a3-highgpu-8g")] == [
        "prefix",
        "longer",
        "name",
    ]
    with pytest.raises(CatalogError, match="no pattern of the table matches"):
        catalog.nic_layout("g2-standard-4")


def test_a_ladder_that_never_meets_its_maximum_is_refused(tmp_path: Path) -> None:
    head = "provider,kind,tier,throughput_mbps_per_tib,min_gib,step_gib,max_gib,extra_sizes_gib,max_is_soft,default,as_of,source\n"
    catalog = folder(tmp_path, aws_storage_tiers=head + "aws,lustre,T,,1000,300,2000,,no,yes,2026,a page\n")
    with pytest.raises(CatalogError, match=r"storage_tiers\.csv:2: a ladder from 1000 in steps of 300"):
        catalog.storage_tiers(Provider.AWS, StorageKind.LUSTRE)


def test_a_refusal_without_a_reason_is_refused(tmp_path: Path) -> None:
    text = "provider,pattern,capacity,supported,reason,instead,as_of,source\naws,*,spot,no,,x,2026,a page\n"
    with pytest.raises(CatalogError, match="column reason is empty"):
        folder(tmp_path, aws_purchase=text).purchase_option(Provider.AWS, "p5.48xlarge", CapacityType.SPOT)


def test_a_naming_pattern_that_is_no_regular_expression_is_refused(tmp_path: Path) -> None:
    catalog = folder(tmp_path, gcp_naming="provider,pattern,arch,notes,as_of,source\ngcp,(c3,,,2026,a page\n")
    with pytest.raises(CatalogError, match=r"naming\.csv:2: column pattern is no regular expression"):
        catalog.instance_type(Provider.GCP, "c3-standard-4")


def test_cells_read_as_what_they_are() -> None:
    row = Row(Path("t.csv"), 2, {"a": 0, "b": 1, "c": 2, "d": 3}, ["1;3-5", "yes", "", "2.50"])
    assert row.integers("a") == (1, 3, 4, 5)
    assert row.items("a") == ("1", "3-5")
    assert row.flag("b") is True
    assert row.flag("c") is None
    assert row.number("d") == 2.5
    assert row.text("missing") == ""
    assert row.items("c") == ()
    assert row.integer("c") is None


def test_rows_keep_the_line_of_the_file_when_a_cell_spans_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('name,as_of,source\na,2026,"first\nsecond"\nb,2026,third\n', encoding="utf-8")
    assert [(row.text("name"), row.line) for row in Table(path)] == [("a", 3), ("b", 4)]
    assert [row["source"] for row in Table(path).dicts()] == ["first\nsecond", "third"]
