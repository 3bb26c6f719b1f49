"""Type tokens that several modules of this cloud name."""

SET = "azure-native:compute:VirtualMachineScaleSet"
AUTOSCALE = "azure-native:monitor:AutoscaleSetting"
LUSTRE = "azure-native:storagecache:AmlFilesystem"
VNET = "azure-native:network:VirtualNetwork"
SUBNET = "azure-native:network:Subnet"
