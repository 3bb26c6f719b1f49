"""Type tokens that several modules of this cloud name."""

GROUP = "aws:autoscaling/group:Group"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
SCHEDULE = "aws:scheduler/schedule:Schedule"
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
