#!/bin/sh
# N containers with two VLAN links each, made on the host's link `trunk` and moved into the container. `trunk` has
# 4,094 VLAN numbers; container i takes i + 1 twice, once inside an 802.1ad link, so N is at most 4,094.
#   sh vlan-links.sh N | netbatch run -
# For a real trunk, name it: TRUNK=eth1 sh vlan-links.sh N. Without TRUNK a veth end stands in for it.
set -eu
awk -v n="${1:-1000}" -v trunk="${TRUNK:-}" 'BEGIN {
  if (n > 4094) { print "vlan-links.sh: there are 4,094 VLAN numbers" > "/dev/stderr"; exit 2 }
  if (trunk == "") {
    trunk = "trunk"
    print "link add trunk type veth peer name trunk-far"
  }
  printf "link add link %s name outer type vlan protocol 802.1ad id 1\n", trunk
  printf "link set %s up\nlink set outer up\n", trunk
  for (i = 0; i < n; ++i) {
    printf "netns add c%d\n", i
    printf "link add link %s name data%d type vlan id %d\n", trunk, i, i + 1
    printf "link add link outer name mgmt%d type vlan id %d\n", i, i + 1
    printf "link set data%d netns c%d name data up\n", i, i
    printf "link set mgmt%d netns c%d name mgmt up\n", i, i
  }
}'
