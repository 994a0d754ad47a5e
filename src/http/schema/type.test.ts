import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as typebox from 'typebox'
import { Type } from './type.ts'

/** Schemas of all kinds that routes use. */
function schemas({ Any, Array: List, Boolean: Bool, ...rest }: Pick<typeof Type, keyof typeof Type>) {
  const { Integer, Intersect, Null, Number: Num, Object: Obj, Optional, Record: Rec, String: Str } = rest
  const { Union, Unknown, Unsafe } = rest
  const text = Str({ minLength: 1, description: 'A text.' })
  return {
    plain: [Any(), Bool(), Integer(), Null(), Num(), Str(), Unknown()],
    described: [
      Any({ description: 'x' }),
      Bool({ default: true }),
      Num({ minimum: 0 }),
      Unknown({ title: 'x' }),
    ],
    lists: List(text, { maxItems: 3 }),
    objects: [
      Obj({}),
      Obj({ text }),
      Obj({ may: Optional(text), must: text }, { additionalProperties: false }),
      Obj({ may: Optional(text) }, { minProperties: 1 }),
      Obj({ ...Obj({ must: text }).properties, may: Optional(List(text)) }),
    ],
    records: [Rec(Str(), text), Rec(Str({ pattern: '^[a-z]+$' }), Any(), { maxProperties: 2 })],
    joined: [
      Union([text, Null()]),
      Union([text, Null()], { default: null }),
      Intersect([Obj({ text }), Obj({})]),
    ],
    unsafe: [Unsafe({ type: 'string', enum: ['a'] }), Optional(Unsafe({ type: 'string' }))],
  }
}

it('writes schemas to the letter as TypeBox does', () => {
  assert.equal(JSON.stringify(schemas(Type)), JSON.stringify(schemas(typebox.Type)))
})
