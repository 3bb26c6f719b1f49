"""AWS-C08: FSx sizes, the default type, and the race with its own firewall."""

from __future__ import annotations

import pytest

from .judging import codes, judged, rows, said

FSX = {f"FSX-{n:02}" for n in range(1, 11)}
NAIVE = """
- {type: aws.ec2.SecurityGroup, name: no-rules, inputs: {}}
- type: aws.fsx.LustreFileSystem
  name: fs
  inputs:
    storageCapacity: 5000
    perUnitStorageThroughput: 200
    importPath: "s3://acme-data/imagenet"
    subnetIds: [subnet-1, subnet-2]
    securityGroupIds: [!ref no-rules.id ]
"""


def test_c08_every_fault_is_named():
    report = judged(NAIVE)
    assert rows(report) & FSX == {"FSX-01", "FSX-02", "FSX-03", "FSX-05", "FSX-08", "FSX-09"}
    assert "SCRATCH_1" in said(report, "GI3032").message
    assert said(report, "GI3034").hint == "choose 4800 GiB or 7200 GiB"
    assert "200 belongs to PERSISTENT_1" in said(report, "GI3033").message
    assert "125, 250, 500, 1000" in said(report, "GI3033").message
    assert "988" in said(report, "GI3041").message
    assert "1018–1023" in said(report, "GI3041").message


def fs(kind: str = "PERSISTENT_2", size: object = 2400, speed: object = 250, extra: str = "") -> str:
    return f"""
- type: aws.fsx.LustreFileSystem
  name: fs
  inputs: {{deploymentType: {kind}, storageCapacity: {size}, perUnitStorageThroughput: {speed}, subnetIds: subnet-1{extra}}}
"""


@pytest.mark.parametrize(
    "resources",
    [
        fs(size=1200, speed=125),
        fs(size=2400, speed=1000),
        fs(size=7200, speed=250),
        fs("SCRATCH_1", 3600, "null"),
        fs("SCRATCH_2", 4800, "null"),
        fs("PERSISTENT_1", 1200, 200),
        fs("PERSISTENT_1", 6000, 12, ", storageType: HDD"),
        fs("PERSISTENT_1", 1800, 40, ", storageType: HDD"),
        fs(extra=', fileSystemTypeVersion: "2.15"'),
        fs(size=9600, speed=500, extra=", efaEnabled: true, metadataConfiguration: {mode: AUTOMATIC}"),
        fs("SCRATCH_2", 1200, "null", ', importPath: "s3://b/p"'),
    ],
)
def test_c08_what_fsx_sells_passes(resources: str):
    report = judged(resources)
    assert rows(report) & FSX == set()


@pytest.mark.parametrize(
    ("resources", "row"),
    [
        (fs(size=3600), "FSX-03"),
        (fs(size=1300), "FSX-03"),
        (fs(size=0), "FSX-03"),
        (fs("SCRATCH_2", 3600, "null"), "FSX-03"),
        (fs("PERSISTENT_1", 2400, 12, ", storageType: HDD"), "FSX-03"),
        (fs(speed=100), "FSX-02"),
        (fs(speed="null"), "FSX-02"),
        (fs("SCRATCH_2", 1200, 125), "FSX-02"),
        (fs(extra=", storageType: HDD"), "FSX-02"),
        (fs(extra=', fileSystemTypeVersion: "2.10"'), "FSX-06"),
        (fs(extra=', exportPath: "s3://b/p"'), "FSX-05"),
        (fs(size=2400, speed=500, extra=", efaEnabled: true, metadataConfiguration: {mode: AUTOMATIC}"), "FSX-04"),
        (fs(size=9600, speed=500, extra=", efaEnabled: true"), "FSX-04"),
        (fs("PERSISTENT_1", 9600, 200, ", efaEnabled: true"), "FSX-04"),
        (fs(extra=", metadataConfiguration: {mode: USER_PROVISIONED, iops: 2000}"), "FSX-07"),
        (fs(size=9600, extra=", metadataConfiguration: {mode: USER_PROVISIONED, iops: 1500}"), "FSX-07"),
    ],
)
def test_c08_what_fsx_does_not_sell_fails(resources: str, row: str):
    assert rows(judged(resources), errors=True) & FSX == {row}


def associations(*paths: str) -> str:
    listed = "".join(
        f"- {{type: aws.fsx.DataRepositoryAssociation, name: a{n}, inputs: "
        f'{{fileSystemId: !ref fs.id , fileSystemPath: {p}, dataRepositoryPath: "s3://b/{n}"}}}}\n'
        for n, p in enumerate(paths)
    )
    return fs() + listed


@pytest.mark.parametrize(
    ("paths", "fails"),
    [
        (tuple(f"/d{n}" for n in range(8)), False),
        (tuple(f"/d{n}" for n in range(9)), True),
        (("/data", "/data/sub"), True),
        (("/data", "/data"), True),
        (("/data", "/database"), False),
        (("/", "/data"), True),
    ],
)
def test_c08_associations(paths: tuple[str, ...], fails: bool):
    assert ("FSX-10" in rows(judged(associations(*paths)), errors=True)) is fails


FIREWALL = """
- {type: aws.ec2.SecurityGroup, name: sg, inputs: {}}
- type: aws.vpc.SecurityGroupIngressRule
  name: in
  inputs: {securityGroupId: !ref sg.id , cidrIpv4: 10.0.0.0/16, ipProtocol: tcp, fromPort: FROM, toPort: 1023}
- type: aws.vpc.SecurityGroupEgressRule
  name: out
  inputs: {securityGroupId: !ref sg.id , cidrIpv4: 10.0.0.0/16, ipProtocol: "-1"}
- type: aws.fsx.LustreFileSystem
  name: fs
  inputs: {deploymentType: SCRATCH_2, storageCapacity: 1200, securityGroupIds: [!ref sg.id ]}
"""


def test_c08_the_race_with_the_firewall():
    race = FIREWALL.replace("FROM", "988")
    assert "does not wait for its firewall rules (in, out)" in said(judged(race), "GI3041").message
    assert "FSX-09" not in rows(judged(race + "  depends_on: [in, out]\n"))
    assert "GI3041" in codes(judged(race + "  depends_on: [in, sg]\n"))


def test_c08_half_of_the_ports():
    report = judged(FIREWALL.replace("FROM", "1021") + "  depends_on: [in, out]\n")
    assert "TCP 988 and 1018–1023 for ingress" in said(report, "GI3041").message


@pytest.mark.parametrize("group", ["sg-0aaa1111bbbb2222c", "!unknown "])
def test_c08_a_group_that_is_not_known_here_is_not_doubted(group: str):
    report = judged(fs(extra=f", securityGroupIds: [{group}]"))
    assert "FSX-09" not in rows(report)
    assert "GI3041" in {u.code for u in report.undecided}


def test_c08_another_zone_than_the_nodes():
    program = """
- {type: aws.ec2.Subnet, name: a, inputs: {availabilityZone: us-west-2a}}
- {type: aws.ec2.Subnet, name: b, inputs: {availabilityZone: us-west-2b}}
- {type: aws.fsx.LustreFileSystem, name: fs, inputs: {deploymentType: SCRATCH_2, storageCapacity: 1200, subnetIds: !ref a.id }}
- {type: aws.ec2.LaunchTemplate, name: nodes, inputs: {}}
- {type: aws.eks.NodeGroup, name: pool, inputs: {subnetIds: IDS, launchTemplate: {id: !ref nodes.id }}}
"""
    assert "FSX-08" in rows(judged(program.replace("IDS", "[!ref a.id , !ref b.id ]")))
    assert "FSX-08" not in rows(judged(program.replace("IDS", "[!ref a.id ]")))
