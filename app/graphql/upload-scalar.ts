import type { Readable } from 'node:stream'
import { GraphQLError, GraphQLScalarType } from 'graphql'

/** A file of a multipart request. Only the transport creates it; JSON cannot. */
export class UploadPart {
  readonly fileName: string
  readonly source: Readable
  constructor(fileName: string, source: Readable) {
    this.fileName = fileName
    this.source = source
  }
}

const onlyMultipart = 'A file must come in a multipart request.'

export const uploadScalar = new GraphQLScalarType<UploadPart, never>({
  name: 'Upload',
  parseValue: (value) => {
    if (value instanceof UploadPart) return value
    throw new GraphQLError(onlyMultipart)
  },
  parseLiteral: () => {
    throw new GraphQLError(onlyMultipart)
  },
  serialize: () => {
    throw new GraphQLError('A file cannot be returned.')
  },
})
