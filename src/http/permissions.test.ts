import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  isPermission,
  lackOf,
  markOf,
  PERMISSION_NAMES,
  permissionRow,
  permissionsOf,
} from './permissions.ts'

const listed = (...names: string[]) => JSON.stringify(names)

describe('permissions', () => {
  it('are all an administrator’s, and a member’s those of members', () => {
    assert.deepEqual([...permissionsOf('administrator')], PERMISSION_NAMES)
    const ofMembers = PERMISSION_NAMES.filter((name) => permissionRow(name).role === 'member')
    assert.deepEqual([...permissionsOf('member')], ofMembers)
    assert.ok(ofMembers.length > 10 && ofMembers.length < PERMISSION_NAMES.length)
  })

  it('are narrowed by scopes, and never widened beyond the role', () => {
    const scopes = listed('events:read', 'events:write', 'of a later version')
    assert.deepEqual([...permissionsOf('administrator', scopes)], ['events:read', 'events:write'])
    assert.deepEqual([...permissionsOf('member', scopes)], ['events:read'])
    assert.deepEqual([...permissionsOf('administrator', listed())], [])
  })

  it('are one set for all who have the same', () => {
    assert.equal(permissionsOf('member'), permissionsOf('member', null))
    const scopes = listed('runs:read', 'runs:write')
    assert.equal(permissionsOf('member', scopes), permissionsOf('member', scopes))
    assert.notEqual(permissionsOf('member', scopes), permissionsOf('administrator', scopes))
  })

  it('have a mark by which narrowed sets are told from each other', () => {
    assert.deepEqual([markOf(permissionsOf('member')), markOf(permissionsOf('administrator'))], ['', ''])
    const marks = ['events:read', 'runs:read'].map((name) => markOf(permissionsOf('member', listed(name))))
    assert.equal(new Set(['', ...marks]).size, 3)
    // The scopes narrow the role.
    assert.equal(markOf(permissionsOf('administrator', listed('events:read'))), marks[0])
  })

  it('are told from the other kinds of access', () => {
    for (const name of PERMISSION_NAMES) assert.match(name, /^[a-z_]+:(read|write|use|all)$/)
    assert.ok(isPermission('events:write'))
    for (const other of ['public', 'caller', 'toString', '']) assert.ok(!isPermission(other), other)
  })

  it('that are lacking say whether the role or the scopes of a key lack them', () => {
    const lacks = [lackOf('member', 'events:write'), lackOf('member', 'events:read')]
    assert.deepEqual(
      lacks.map(({ code, details }) => [code, details]),
      [
        ['FORBIDDEN', { reason: 'administrator_required', scope: 'events:write' }],
        ['FORBIDDEN', { reason: 'scope_required', scope: 'events:read' }],
      ],
    )
  })
})
