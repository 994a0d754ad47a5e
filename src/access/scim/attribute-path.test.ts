import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '../../core/errors.ts'
import { parseFilter, parsePath } from './attribute-path.ts'

it('a filter is read as its comparisons, whatever the case of its names', () => {
  for (const [text, expected] of [
    ['userName eq "Ada"', [{ path: 'username', value: 'Ada' }]],
    ['  active   EQ   true  ', [{ path: 'active', value: true }]],
    [
      'id eq "1" and members eq "2"',
      [
        { path: 'id', value: '1' },
        { path: 'members', value: '2' },
      ],
    ],
    [
      'emails[type eq "work" and value eq "a\\"]b"]',
      [
        { path: 'emails.type', value: 'work' },
        { path: 'emails.value', value: 'a"]b' },
      ],
    ],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "\\u00e9"', [{ path: 'username', value: 'é' }]],
  ] as const)
    assert.deepEqual(parseFilter(text), expected)
})

it('a path is read as its attribute, filter and part', () => {
  for (const [text, attribute, sub, values] of [
    ['active', 'active', undefined, undefined],
    ['name.familyName', 'name', 'familyname', undefined],
    ['emails[type eq "work"].value', 'emails', 'value', ['work']],
    ['members[value eq "scu_1"]', 'members', undefined, ['scu_1']],
    ['urn:ietf:params:scim:schemas:core:2.0:Group:members', 'members', undefined, undefined],
  ] as const) {
    const path = parsePath(text)
    assert.deepEqual(
      [path.attribute, path.sub, path.filter?.map(({ value }) => value)],
      [attribute, sub, values],
    )
  }
})

it('any other text is refused, and none takes long', () => {
  const pieces = [
    'userName',
    ' eq ',
    '"',
    '\\',
    '[',
    ']',
    '.',
    ' and ',
    '(',
    'true',
    '1e9',
    '\u0000',
    '💥',
    '"a"',
    ' ',
  ]
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(text, (one) => {
      for (const [parse, reason] of [
        [parseFilter, 'invalid_filter'],
        [parsePath, 'invalid_path'],
      ] as const)
        try {
          parse(one)
        } catch (error) {
          assert.ok(error instanceof ApiError)
          assert.equal((error.details as { reason?: string }).reason, reason)
        }
    }),
  )
})
