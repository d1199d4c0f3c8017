/** A page of plain text as PDF 1.4, with a standard font. Small and without dependencies. ASCII only. */
export function buildPdf(title: string, lines: string[]): Buffer {
  const shown = [`/F1 18 Tf 72 760 Td (${escaped(title)}) Tj`, '/F1 12 Tf 0 -36 Td 18 TL']
  const stream = `BT\n${[...shown, ...lines.map((line) => `(${escaped(line)}) Tj T*`)].join('\n')}\nET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Title (${escaped(title)}) >>`,
  ]
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const end = `trailer\n<< /Size ${size} /Root 1 0 R /Info 6 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(`${file}xref\n0 ${size}\n0000000000 65535 f \n${table}${end}`, 'latin1')
}

function escaped(text: string): string {
  return text.replace(/[\\()]/g, '\\$&').replace(/[^\x20-\x7e]/g, '?')
}
