"""Type tokens that several modules of this cloud name."""

SET = "azure-native:compute:VirtualMachineScaleSet"
AUTOSCALE = "azure-native:monitor:AutoscaleSetting"
LUSTRE = "azure-native:storagecache:AmlFilesystem"
SUBNET = "azure-native:network:Subnet"
