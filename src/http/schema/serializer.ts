import type { FastifySerializerCompiler } from 'fastify'
import { lazily, lazyPackage, memoizeByJson } from '../../core/memoize.ts'

const build = lazyPackage<(schema: object) => (data: unknown) => string>('fast-json-stringify')

/** As `compileLater` of the validators: the code that writes an answer is made when the first one is written. */
export const serializerCompiler: FastifySerializerCompiler<object> = ({ schema }) => {
  const serialize = lazily(() => compile(schema))
  return (data) => serialize()(data)
}

/** Many routes share a schema, such as that of an error. */
const compile = memoizeByJson((schema: object) => build()(schema))

/** For the few answers that a process gives all its life and that may be all it gives: nothing is loaded for them. */
export const plainSerializer: FastifySerializerCompiler<object> = () => JSON.stringify
