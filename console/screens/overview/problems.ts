import type { Problem } from '#sdk/postern.ts'
import { to } from '../../app/router.ts'
import { count, lineOfUrl, number, textOf } from '../../app/words.ts'

const numberOf = ({ count: many, atLeast }: { count: number; atLeast: boolean }) =>
  number(many) + (atLeast ? '+' : '')

/** `568 waiting, 560 failed`. */
export function sizeOf({ waiting, failed }: Problem): string {
  return [
    ...(waiting ? [`${numberOf(waiting)} waiting`] : []),
    ...(failed ? [`${numberOf(failed)} failed`] : []),
  ].join(', ')
}

/** Titles of problems by their kind. */
const TITLES: Record<Problem['kind'], (problem: Problem) => string> = {
  webhook: ({ subject, state }) => `${lineOfUrl(subject ?? '')} ${WEBHOOK[state] ?? ''}`,
  run: ({ waiting }) => `${count(waiting?.count ?? 0, 'run waits', 'runs wait')} for a decision`,
  file: ({ failed }) => `${count(failed?.count ?? 0, 'file', 'files')} could not be read`,
  document: ({ failed, subject }) =>
    `${count(failed?.count ?? 0, 'document', 'documents')} of ${textOf(subject)} could not be indexed`,
  connection: ({ subject, state }) =>
    state === 'error'
      ? `The connection to ${textOf(subject)} could not be renewed`
      : `The connection to ${textOf(subject)} must be authorized again`,
  mail: ({ failed, waiting }) =>
    failed
      ? `${count(failed.count, 'mail', 'mails')} could not be sent`
      : `${count(waiting?.count ?? 0, 'mail', 'mails')} could not be sent yet`,
  api_key: ({ subject, state }) =>
    state === 'failing'
      ? `The directory uses a replaced secret of ${textOf(subject)}`
      : state === 'expired'
        ? `The API key ${textOf(subject)} has expired`
        : `The API key ${textOf(subject)} expires soon`,
  domain: ({ subject, state }) =>
    state === 'lost'
      ? `The domain ${textOf(subject)} is no longer proven`
      : `The record of the domain ${textOf(subject)} is missing`,
  identity_provider: ({ subject, state, reason }) =>
    reason === 'own_keys'
      ? `The replaced keys for ${textOf(subject)} end soon`
      : state === 'waiting'
        ? `${textOf(subject)} is set up and waits to be enabled`
        : state === 'expired'
          ? `The certificate of ${textOf(subject)} has expired`
          : `The certificate of ${textOf(subject)} expires soon`,
  credits: ({ balance }) =>
    balance === null || balance <= 0
      ? 'No credits left'
      : `${count(balance, 'credit is', 'credits are')} left`,
}

const WEBHOOK: Record<string, string> = {
  disabled: 'is disabled',
  parked: 'does not respond',
  failing: 'fails',
  failed: 'is delivering, some deliveries failed',
}

export const titleOf = (problem: Problem) => TITLES[problem.kind](problem)

/** The screen of a problem by its kind. */
const PLACES: Record<Problem['kind'], (problem: Problem) => string> = {
  webhook: ({ subjectId }) => to(`/webhooks/${subjectId}`),
  run: ({ exampleId }) => to(`/runs/${exampleId}`),
  file: ({ exampleId }) => to(`/files/${exampleId}`),
  document: ({ subjectId }) => to(`/knowledge/${subjectId}`),
  connection: ({ subjectId }) => to(`/connections/${subjectId}`),
  mail: () => to('/mails'),
  credits: () => to('/credits'),
  api_key: () => to('/api-keys'),
  domain: () => to('/domains'),
  identity_provider: () => to('/identity-providers'),
}

export const placeOf = (problem: Problem) => PLACES[problem.kind](problem)
