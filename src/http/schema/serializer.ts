import type { FastifySerializerCompiler } from 'fastify'
import { lazily, lazyPackage, memoizeByJson } from '../../core/memoize.ts'

const build = lazyPackage<(schema: object) => (data: unknown) => string>('fast-json-stringify')

/** Compiles the serializer of an answer when the first one is sent, like `compileLater` of the validators. */
export const serializerCompiler: FastifySerializerCompiler<object> = ({ schema }) => {
  const serialize = lazily(() => compile(schema))
  return (data) => serialize()(data)
}

/** Compiled once per schema: many routes share one, such as that of errors. */
const compile = memoizeByJson((schema: object) => build()(schema))

/** For processes that send only a few simple answers: loads no compiler. */
export const plainSerializer: FastifySerializerCompiler<object> = () => JSON.stringify
