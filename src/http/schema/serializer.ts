import { createRequire } from 'node:module'
import type { FastifySerializerCompiler } from 'fastify'

type Build = (schema: object) => (data: unknown) => string

let build: Build | undefined

/** As `compileLater` of the validators: the code that writes an answer is made when the first one is written. */
export const serializerCompiler: FastifySerializerCompiler<object> = ({ schema }) => {
  let serialize: ((data: unknown) => string) | undefined
  return (data) => {
    build ??= createRequire(import.meta.url)('fast-json-stringify') as Build
    serialize ??= build(schema)
    return serialize(data)
  }
}
