import type { FastifySerializerCompiler } from 'fastify'
import { lazily, packageLater } from '../../core/remember.ts'

const build = packageLater<(schema: object) => (data: unknown) => string>('fast-json-stringify')

/** As `compileLater` of the validators: the code that writes an answer is made when the first one is written. */
export const serializerCompiler: FastifySerializerCompiler<object> = ({ schema }) => {
  const serialize = lazily(() => build()(schema))
  return (data) => serialize()(data)
}

/** For the few answers that a process gives all its life and that may be all it gives: nothing is loaded for them. */
export const plainSerializer: FastifySerializerCompiler<object> = () => JSON.stringify
