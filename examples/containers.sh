#!/bin/sh
# N containers, as a container runtime's shell hooks would write them: every step a line, nothing in a clever order.
# A bridge takes 1,023 ports, so there is a bridge for each 1,000 containers.
#   sh containers.sh N | netbatch run -
set -eu
awk -v n="${1:-1000}" 'BEGIN {
  for (i = 0; i < n; ++i) {
    bridge = int(i / 1000)
    host = i % 1000 + 2  # .1 is the bridge
    if (i % 1000 == 0) {
      printf "ip link add br%d type bridge\n", bridge
      printf "ip link set br%d up\n", bridge
      printf "ip addr add 10.%d.0.1/16 dev br%d\n", bridge, bridge
    }
    printf "ip netns add c%d\n", i
    printf "ip link add v%d type veth peer name p%d\n", i, i
    printf "ip link set p%d netns c%d\n", i, i
    printf "ip -n c%d link set p%d name eth0\n", i, i
    printf "ip link set v%d master br%d\n", i, bridge
    printf "ip link set v%d up\n", i
    printf "ip -n c%d link set lo up\n", i
    printf "ip -n c%d link set eth0 up\n", i
    printf "ip -n c%d addr add 10.%d.%d.%d/16 dev eth0\n", i, bridge, int(host / 256), host % 256
    printf "ip -n c%d route add default via 10.%d.0.1\n", i, bridge
  }
}'
