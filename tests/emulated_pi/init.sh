#!/bin/busybox sh
# The initramfs's first program: load what the disk needs, then go over to it.
B=/bin/busybox
$B mount -t proc proc /proc
$B mount -t sysfs sysfs /sys
$B mount -t devtmpfs dev /dev
for module in @MODULES@; do
	$B insmod /m/$module
done
waited=0
while [ ! -b /dev/vda ] && [ $waited -lt 400 ]; do
	$B usleep 50000
	waited=$((waited + 1))
done
$B mount -t ext4 /dev/vda /root || exec $B sh
$B mount --move /dev /root/dev
$B umount /proc /sys
exec $B switch_root /root /sbin/init
