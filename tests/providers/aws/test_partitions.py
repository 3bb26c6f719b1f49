from __future__ import annotations

import pytest

from gpuinfra.providers.aws.partitions import arn, host, partition


@pytest.mark.parametrize(
    ("region", "name", "suffix"),
    [
        ("us-east-2", "aws", "amazonaws.com"),
        ("us-gov-west-1", "aws-us-gov", "amazonaws.com"),
        ("cn-north-1", "aws-cn", "amazonaws.com.cn"),
        ("us-iso-east-1", "aws-iso", "c2s.ic.gov"),
        ("us-isob-east-1", "aws-iso-b", "sc2s.sgov.gov"),
        ("eusc-de-east-1", "aws-eusc", "amazonaws.eu"),
    ],
)
def test_partition_of_a_region(region: str, name: str, suffix: str) -> None:
    assert (partition(region).name, partition(region).dns_suffix) == (name, suffix)


def test_the_table_agrees_with_botocore() -> None:
    import json
    from pathlib import Path

    import botocore

    data = json.loads((Path(botocore.__file__).parent / "data" / "partitions.json").read_text())
    for row in data["partitions"]:
        for region in row["regions"]:
            if "-global" not in region:
                assert partition(region).name == row["id"], region
                assert partition(region).dns_suffix == row["outputs"]["dnsSuffix"], region


def test_arns_and_host_names() -> None:
    assert arn("us-east-2", "s3", "acme", regional=False) == "arn:aws:s3:::acme"
    assert (
        arn("cn-north-1", "ecr", "repository/x", account="123456789012")
        == "arn:aws-cn:ecr:cn-north-1:123456789012:repository/x"
    )
    assert host("cn-north-1", "efs", "fs-0aa") == "fs-0aa.efs.cn-north-1.amazonaws.com.cn"
