const longestCsvName = 40

/** Cuts the name of a CSV file to what pages show of it (C-199). */
export function shortCsvName(name: string): string {
  const characters = [...name]
  return characters.length <= longestCsvName ? name : `${characters.slice(0, longestCsvName - 1).join('')}…`
}

/** Shortens a name to "Jane D." */
export function shortName({ firstName, lastName }: { firstName: string; lastName: string }): string {
  const [initial] = [...lastName.trim()]
  return initial ? `${firstName} ${initial}.`.trim() : firstName
}
