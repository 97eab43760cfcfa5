#!/bin/sh
# The first process of a guest with two disks: a system, which has an empty folder /tests, and what belongs there.
mount -t devtmpfs dev /dev
mkdir /system /other
for disk in /dev/nvme0n*; do
	mount -t ext4 $disk /other
	if [ -d /other/tests ]; then system=$disk; else tests=$disk; fi
	/bin/busybox umount /other
done
mount -t ext4 $system /system
mount -t ext4 $tests /system/tests
mount -t devtmpfs dev /system/dev
exec /bin/busybox switch_root /system /tests/init
