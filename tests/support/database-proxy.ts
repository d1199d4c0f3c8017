import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'

/**
 * Stands between a program and its database, and can take it away: closed to new connections, or with open ones that no
 * longer answer.
 */
export async function aDatabaseProxy(isSilenced: (startup: Buffer) => boolean = () => false) {
  let target = new URL('postgres://nowhere')
  let isAway = false
  const ends: Socket[] = []
  const proxy = net.createServer((near) => {
    ends.push(near)
    near.on('error', () => {})
    if (isAway) return near.destroy()
    near.once('data', (startup: Buffer) => {
      if (isSilenced(startup)) return
      const far = net.connect(Number(target.port), target.hostname)
      ends.push(far)
      far.on('error', () => {})
      far.write(startup)
      near.pipe(far).pipe(near)
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const drop = () => {
    for (const socket of ends.splice(0)) socket.destroy()
  }
  return {
    /** The address of this database through the proxy. */
    through: (databaseUrl: string): string => {
      target = new URL(databaseUrl)
      const { port } = proxy.address() as AddressInfo
      return Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href
    },
    /** Lets open connections stay without an answer, as after a failover. */
    silence: () => {
      for (const socket of ends) socket.unpipe().pause()
    },
    goAway: () => {
      isAway = true
      drop()
    },
    comeBack: () => {
      isAway = false
    },
    close: () => {
      drop()
      proxy.close()
    },
  }
}
