"""What resolving can find: GI2001 to GI2099. The reference lists them with their reasons."""

from __future__ import annotations

from ..diagnostics import Code, Severity

E, W = Severity.ERROR, Severity.WARNING

UNKNOWN_TYPE = Code(
    "GI2001",
    "unknown-instance-type",
    E,
    "An instance type that the catalog does not know.",
    why="A name that no table holds has no size, no price, no network cards and no image: nothing could be checked.",
    fix="List the types: gpuinfra instances",
    facts=("AWS CMP-01", "GCP-ACC-05"),
)
RETIRED_TYPE = Code(
    "GI2002",
    "retired-instance-type",
    E,
    "An instance type that the cloud no longer deploys.",
    why="Templates go on naming a size for years after the cloud has withdrawn it; the request is refused at apply.",
    fix="Take a type that is still sold.",
    facts=("AZ SKU-01",),
)
NO_TYPE = Code(
    "GI2003",
    "no-instance-type",
    E,
    "A pool that names neither an instance type nor an accelerator.",
    why="Nothing says what the nodes are.",
    fix="Give instance_type, or accelerator: {model: H100, count: 8}.",
)
ACCELERATOR_MISMATCH = Code(
    "GI2004",
    "accelerator-against-type",
    E,
    "GPUs that differ from the ones the instance type carries.",
    why="A type with built-in GPUs has exactly those; only N1 machines of Google take GPUs of choice.",
    fix="Leave `accelerator` out, or take a type that has the GPUs wanted.",
    facts=("GCP-ACC-01",),
)
ATTACHED_LIMIT = Code(
    "GI2005",
    "accelerator-attached-beyond-limit",
    E,
    "A machine with more vCPUs or memory than its attached GPUs allow.",
    why="Google bounds vCPUs and memory of an N1 machine by the kind and number of attached GPUs, and attaches only "
    "certain numbers of them.",
    facts=("GCP-ACC-03", "GCP-ACC-02", "GCP-ACC-04"),
)
UNKNOWN_GPU = Code(
    "GI2006",
    "unknown-accelerator",
    E,
    "A GPU model that the catalog does not know.",
    why="A near name is another card: H10 is not H100.",
    fix="List the models: gpuinfra gpus",
)
AMBIGUOUS_GPU = Code(
    "GI2007",
    "ambiguous-accelerator",
    E,
    "A GPU word that stands for several cards.",
    why="H100 is sold as SXM, PCIe and NVL, A100 with 40 and 80 GB: memory, links and price differ.",
    fix="Name one of the candidates, or add memory_gib.",
)
GPU_NOT_SOLD = Code(
    "GI2008",
    "accelerator-not-sold",
    E,
    "A GPU, or a number of GPUs per node, that this cloud or region does not sell.",
    why="Clouds sell GPUs in whole machines of fixed sizes, and not every machine in every region.",
)
UNKNOWN_REGION = Code(
    "GI2010",
    "unknown-region",
    E,
    "A region that no table knows.",
    why="A region that does not exist is refused only when the deployment is half done.",
    fix="List the regions: gpuinfra regions",
)
ZONE_LETTER = Code(
    "GI2011",
    "zone-by-letter",
    E,
    "An AWS zone by its letter.",
    why="us-east-1a is another building in each account; only the id (use1-az4) names one, and capacity, storage and "
    "reservations are bound to it.",
    facts=("AWS NET-12",),
)
UNKNOWN_ZONE = Code(
    "GI2012",
    "unknown-zone",
    E,
    "A zone that the region does not have.",
    why="Capacity, storage and placement are bound to one zone; the cloud refuses the name only when it makes the first of them.",
)
TYPE_NOT_IN_REGION = Code(
    "GI2013",
    "type-not-in-region",
    E,
    "An instance type that the region does not offer.",
    why="The request ends in `Unsupported` or a stock-out that looks like bad luck.",
    facts=("AWS CAP-18", "GCP-ACC-05"),
)
TYPE_NOT_IN_ZONE = Code(
    "GI2014",
    "type-not-in-zone",
    E,
    "An instance type that the zone does not offer.",
    why="Zones of one region have different hardware.",
    facts=("AWS CAP-18", "GCP-ACC-05"),
)
NO_COMMON_ZONE = Code(
    "GI2015",
    "no-common-zone",
    E,
    "Pools whose types have no zone in common.",
    why="The pools share one subnet, one storage and one fabric, and those stand in one zone.",
    facts=("AWS NET-12",),
)
ZONE_GUESSED = Code(
    "GI2016",
    "zone-of-reservation-guessed",
    W,
    "A reservation is used and no zone is named.",
    why="A reservation stands in one zone; the first zone that offers the type may be another.",
    fix="Name the reservation's zone in location.zone.",
    facts=("AWS CAP-05", "GCP-RSV-01", "AZ CRG-03"),
)
ZONE_UNVERIFIED = Code(
    "GI2017",
    "zone-unverified",
    W,
    "A zone that was taken without knowing whether it offers the machines.",
    why="The tables hold no zones for machines without GPUs; most zones have them, and not all.",
    fix="Name a zone in location.zone.",
)
TYPE_UNSEEN = Code(
    "GI2018",
    "type-unseen-in-region",
    W,
    "A type that the region's price list does not have.",
    why="Azure publishes no list of zones by size; a size without a price in a region is rarely sold there.",
    facts=("AZ SKU-02",),
)
NOT_SOLD_SO = Code(
    "GI2030",
    "purchase-not-offered",
    E,
    "A type that is not sold in this way.",
    why="Some types exist only as spot, flex-start, reservation or capacity block; asking otherwise fails at apply.",
    facts=("AWS CAP-13", "GCP-SCH-07", "GCP-SCH-08", "GCP-SCH-09", "AZ CRG-01"),
)
CAPACITY_NEEDS = Code(
    "GI2031",
    "purchase-incomplete",
    E,
    "A purchase without what it needs.",
    why="A reservation and a capacity block are used by their id, flex-start by its duration and the nodes to begin with.",
    facts=("AWS CAP-01", "GCP-SCH-04"),
)
CAPACITY_ID = Code(
    "GI2032",
    "reservation-id-malformed",
    E,
    "A reservation id that is not in the cloud's form.",
    why="An id of another kind is refused at apply, or matches nothing and is never used.",
    facts=("AWS CAP-12", "GCP-RSV-02"),
)
CAPACITY_IDLE_FIELD = Code(
    "GI2033",
    "purchase-field-without-effect",
    W,
    "A field of `capacity` that this purchase does not use.",
    why="What looks like a limit and limits nothing is dangerous.",
)
FLEX_DURATION = Code(
    "GI2034",
    "flex-start-duration-out-of-range",
    E,
    "A flex-start duration outside what the cloud grants.",
    why="Google runs flex-start nodes for 10 minutes to 7 days.",
    facts=("GCP-SCH-05",),
)
NO_FABRIC = Code(
    "GI2040",
    "fabric-on-type-without",
    E,
    "A fabric is required on a type that has none.",
    why="Without it collectives run over TCP, at a tenth of the speed or less, and nothing says so.",
    facts=("AWS NET-06", "AZ IB-04"),
)
PUBLIC_MULTI_NIC = Code(
    "GI2041",
    "public-address-with-many-nics",
    E,
    "A public address on a node with several network interfaces.",
    why="EC2 refuses a public address on an instance with more than one interface, and every EFA node has several.",
    fix="Keep the nodes private (public_ip: false); they are reached through the session manager.",
    facts=("AWS NET-08",),
)
FABRIC_LIMIT = Code(
    "GI2042",
    "fabric-beyond-group-limit",
    W,
    "More InfiniBand nodes than one scale set takes by default.",
    why="Only nodes of one scale set share a partition key, and a set with a single placement group holds 100 nodes "
    "unless support raises it to 300.",
    facts=("AZ IB-05",),
)
PROXIMITY_REFUSED = Code(
    "GI2045",
    "proximity-not-allowed",
    E,
    "A placement that this purchase or type does not allow.",
    why="A capacity block already is one place, and the cloud refuses a group on top of it; some types take no group.",
    facts=("AWS PLC-02", "AWS PLC-04", "GCP-PLC-07", "AZ CRG-02"),
)
CIDR_MALFORMED = Code(
    "GI2050",
    "cidr-malformed",
    E,
    "An address range that is none, or that is not private.",
    why="Public ranges belong to others, and routes to them break.",
    fix="Take a private range, as 10.40.0.0/16.",
    facts=("GCP-NET-11",),
)
CIDR_SIZE = Code(
    "GI2051",
    "network-size-out-of-range",
    E,
    "A network larger or smaller than the cloud takes.",
    why="The cloud refuses the network, and every resource that was to stand in it.",
)
CIDR_TOO_SMALL = Code(
    "GI2052",
    "network-too-small",
    E,
    "A network without enough addresses for the nodes.",
    why="Interfaces, storage and the cloud itself take addresses; the last nodes would not start.",
    facts=("AWS NET-13", "AZ NET-06", "GCP-NET-11", "AZ AML-03"),
)
CIDR_RESERVED = Code(
    "GI2053",
    "network-over-reserved-range",
    E,
    "A network over a range that the fabric keeps for itself.",
    why="Azure's InfiniBand uses 172.16.0.0/16 on every node.",
    facts=("AZ IB-03",),
)
NETWORK_TWICE = Code(
    "GI2054",
    "network-new-and-existing",
    E,
    "Both a range for a new network and an existing one.",
    why="One of them would be passed over without a word, and the nodes would stand in another network than meant.",
    fix="Keep one of network.cidr and network.existing.",
)
NETWORK_ID = Code(
    "GI2055",
    "network-id-malformed",
    E,
    "The id of a network or subnet that is not in the cloud's form.",
    why="The cloud looks for a network of that name and finds none, after other resources were made.",
)
OWN_SUBNET = Code(
    "GI2056",
    "storage-without-its-subnet",
    E,
    "New storage, or a Bastion, that wants a subnet of its own, in an existing network.",
    why="Azure Managed Lustre and NetApp each take a subnet for themselves, and an AWS mount target stands in its zone's.",
    facts=("AZ AML-03", "AZ ANF-01", "AWS FSX-08"),
)
MIXED_MTU = Code(
    "GI2057",
    "mixed-mtu",
    W,
    "Pools on one network whose machines want different packet sizes.",
    why="A network has one MTU; the other pool's large packets are dropped or cut.",
    fix="Put the pools into clusters of their own.",
    facts=("GCP-NET-10",),
)
CIDR_OF_CONTAINERS = Code(
    "GI2058",
    "network-over-container-bridge",
    W,
    "A network over the range of the container runtime's bridge.",
    why="Docker's bridge takes 172.17.0.0/16 on every node, so neighbours in that range are not reached.",
    fix="Take another private range, as 10.40.0.0/16.",
)
CALENDAR_WINDOW = Code(
    "GI2035",
    "calendar-window-out-of-range",
    E,
    "A calendar reservation longer or shorter than the cloud sells.",
    why="Google's calendar reservations run from 1 to 90 days.",
    facts=("GCP-RSV-05",),
)
PLACEMENT_LIMIT = Code(
    "GI2046",
    "placement-beyond-limit",
    E,
    "More nodes than one placement holds.",
    why="A group, a rack or a scale set has a most; the nodes beyond it never start.",
    facts=("GCP-PLC-03", "GCP-PLC-05"),
)
SIZE_MISSING = Code(
    "GI2060",
    "storage-without-size",
    E,
    "New storage that needs a size and has none.",
    why="File systems are sold by their size; nobody can choose it for you without spending your money.",
)
SIZE_STEP = Code(
    "GI2062",
    "storage-size-between-steps",
    E,
    "A storage size that the service does not sell.",
    why="File systems grow in steps. Rounding would change the bill or the space without a word, so the choice is yours.",
    facts=("AWS FSX-03", "GCP-STO-01", "GCP-STO-05", "AZ AML-01"),
)
STORAGE_ID = Code(
    "GI2063",
    "storage-id-malformed",
    E,
    "Existing storage by an id that is not in the cloud's form.",
    why="The mount is made from the id, and the nodes wait for it when they boot.",
)
IMPORT_REFUSED = Code(
    "GI2064",
    "import-not-possible",
    E,
    "An import that this storage, or this source, does not allow.",
    why="The file system would come up empty, and the job would find no data on nodes that bill already.",
    facts=("AWS FSX-05", "AWS FSX-10"),
)
THROUGHPUT_CLASS = Code(
    "GI2065",
    "throughput-class-unknown",
    E,
    "A throughput that the file system does not offer.",
    why="The cloud refuses the file system after the network stands, or takes another class at another price.",
    facts=("AWS FSX-02", "GCP-STO-01", "AZ AML-01"),
)
SIZE_SOFT_MAX = Code(
    "GI2066",
    "storage-above-soft-limit",
    W,
    "A size above what the service gives without a support request.",
    why="The request is refused until somebody has asked support for more, which takes days.",
    facts=("AZ AML-02",),
)
NAME_TWICE = Code(
    "GI2070",
    "name-used-twice",
    E,
    "Two pools, or two storages, with one name.",
    why="Resources are named after them, and two of one name would become one.",
)
NAME_TOO_LONG = Code(
    "GI2071",
    "name-too-long",
    E,
    "A name that the user gives and the cloud does not take.",
    why="Every resource carries the name; the cloud refuses the first whose limit it passes.",
    facts=("GCP-NAM-01",),
)

CODES: tuple[Code, ...] = tuple(v for v in dict(globals()).values() if isinstance(v, Code))
