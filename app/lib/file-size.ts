/** A file size for people: 812 KB, 18.6 MB. A megabyte is 1024 x 1024 bytes, as in all limits. */
export function formatFileSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${Math.floor(bytes / 1024)} KB`
  const megabytes = Math.floor((bytes / (1024 * 1024)) * 10) / 10
  return `${Number.isInteger(megabytes) ? megabytes : megabytes.toFixed(1)} MB`
}
