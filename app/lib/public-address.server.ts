import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Special-purpose ranges (RFC 6890 and its successors), and an address of Azure's that answers only its own machines. */
const closed4: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]
/**
 * Only 2000::/3 is public. These parts of it are not, or contain IPv4 addresses (Teredo, 6to4). Everything outside it is
 * refused, and with it mapped and translated IPv4 addresses.
 */
const open6: [string, number] = ['2000::', 3]
const closed6: [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const closed = new BlockList()
for (const [net, bits] of closed4) closed.addSubnet(net, bits, 'ipv4')
for (const [net, bits] of closed6) closed.addSubnet(net, bits, 'ipv6')
const open = new BlockList()
open.addSubnet(...open6, 'ipv6')

/** True for an IP address that anybody on the internet can reach. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !closed.check(address, 'ipv4')
  // An address with a zone ("fe80::1%eth0") belongs to one network.
  if (!isIPv6(address) || address.includes('%')) return false
  return open.check(address, 'ipv6') && !closed.check(address, 'ipv6')
}

/** False for a host that only some people can reach: an address that is not public, or a name without a domain. */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase()
  if (isIPv4(host) || isIPv6(host)) return isPublicAddress(host)
  return host.includes('.') && !/\.(localhost|local|internal|lan|home|corp|test)$/.test(host)
}
