/** Must be imported first: the code that follows uses features that older versions lack. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Titrate needs Node 20.19 or newer; this is ${process.version}.`)
  process.exit(1)
}
