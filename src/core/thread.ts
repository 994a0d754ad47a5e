import { setPriority } from 'node:os'
import { parentPort, Worker } from 'node:worker_threads'
import { busyTime, type Millis, turn } from './clock.ts'
import { createCoalescedRuns } from './coalesced-runs.ts'
import { heapLimits } from './heap-limits.ts'

/** A worker thread that answers questions, for work that would block the event loop. */
interface Thread<Question, Answer> {
  /**
   * Questions of one turn of the event loop go over in one message, and so do answers. Objects that several of these questions
   * share are copied once.
   * @param handed memory of the question that is transferred to the thread
   * @throws ThreadEndedError where the thread ends before the answer, or cannot be started
   * @throws Error with the message of the thread's error
   */
  ask(question: Question, handed?: ArrayBuffer[]): Promise<Answer>
  /** How long the event loop of the thread was busy since the last question, or since its start, in milliseconds; 0 where it does not run. */
  busy(): Millis
  /** Ends the thread in any state, as a crash would. */
  kill(): void
  close(): Promise<void>
}

/** The thread had the question and has ended, so it is unknown how far it came; or it cannot be started. */
export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError'
}

/** The caller of a question. */
interface Asker<Answer> {
  resolve: (answer: Answer) => void
  reject: (error: Error) => void
  /** Has the question; undefined before it has gone over. */
  by?: Worker
}

/** A question that has not gone over yet. */
interface Asked<Question> {
  id: number
  question: Question
  handed: ArrayBuffer[]
}

/** Questions with their ids, by position. */
interface Questions<Question> {
  ids: number[]
  questions: Question[]
}

interface Answers<Answer> {
  ids: number[]
  answers: Answer[]
  failures: { id: number; message: string }[]
}

const noAnswers = <Answer>(): Answers<Answer> => ({ ids: [], answers: [], failures: [] })

interface ThreadOptions {
  heapMb: number
  /** The part of the heap for new objects; larger ones are collected less often. */
  youngMb?: number
  workerData?: unknown
  /** Called when the thread has ended without `close`, or could not be started, with the number of its open questions. */
  onEnded?: (error: Error, open: number) => void
}

/** The thread starts with the first question, and again after a crash. It keeps the process alive only while a question is open. */
export function createThread<Question, Answer>(
  file: URL,
  { heapMb, youngMb, workerData, onEnded = () => {} }: ThreadOptions,
): Thread<Question, Answer> {
  const waiting = new Map<number, Asker<Answer>>()
  let next: Asked<Question>[] = []
  let worker: Worker | undefined
  let busyBefore: Millis = 0
  let isClosed = false
  let last = 0

  function reject(id: number, error: Error): void {
    const asker = waiting.get(id)
    waiting.delete(id)
    asker?.reject(error)
  }

  function rejectAll(ids: number[], error: Error): void {
    for (const id of ids) reject(id, error)
  }

  /** The next question starts another thread. */
  function leave(one: Worker): void {
    if (one !== worker) return
    worker = undefined
    busyBefore = 0
  }

  /** Rejects the questions that the thread had, and none of those for the next one. */
  function ended(one: Worker, cause: Error): void {
    leave(one)
    const open = [...waiting].flatMap(([id, { by }]) => (by === one ? id : []))
    rejectAll(open, new ThreadEndedError('the thread has ended', { cause }))
    if (!isClosed) onEnded(cause, open.length)
  }

  function start(): Worker {
    const started = new Worker(file, { workerData, resourceLimits: heapLimits(heapMb, youngMb) })
    started.on('message', ({ ids, answers, failures }: Answers<Answer>) => {
      for (const [index, id] of ids.entries()) {
        const asker = waiting.get(id)
        waiting.delete(id)
        asker?.resolve(answers[index] as Answer)
      }
      for (const { id, message } of failures) reject(id, new Error(message))
      if (waiting.size === 0) started.unref()
    })
    let thrown: Error | undefined
    started.on('error', (error: Error) => {
      thrown = error
      leave(started)
    })
    // All answers that it gave have arrived before this.
    started.on('exit', (code) => ended(started, thrown ?? new Error(`it exited with ${code}`)))
    return started
  }

  /** @throws Error where a question cannot be copied, or its memory cannot be transferred: none has gone over */
  function send(to: Worker, asked: Asked<Question>[]): void {
    const ids = asked.map(({ id }) => id)
    const questions = asked.map(({ question }) => question)
    const handed = asked.flatMap((one) => one.handed)
    to.postMessage({ ids, questions } satisfies Questions<Question>, handed)
    for (const id of ids) {
      const asker = waiting.get(id)
      if (asker !== undefined) asker.by = to
    }
  }

  const posts = createCoalescedRuns(async () => post(), { pace: turn })

  function post(): void {
    const all = next
    next = []
    if (all.length === 0) return
    try {
      worker ??= start()
    } catch (cause) {
      const ids = all.map(({ id }) => id)
      rejectAll(ids, new ThreadEndedError('the thread cannot be started', { cause }))
      onEnded(cause as Error, ids.length)
      return
    }
    worker.ref()
    try {
      send(worker, all)
    } catch {
      for (const asked of all) sendAlone(worker, asked)
    }
    if (waiting.size === 0) worker.unref()
  }

  function sendAlone(to: Worker, asked: Asked<Question>): void {
    try {
      send(to, [asked])
    } catch (error) {
      reject(asked.id, error as Error)
    }
  }

  return {
    ask(question, handed = []) {
      return new Promise((resolve, reject) => {
        if (isClosed) return reject(new Error('the thread is closed'))
        last += 1
        waiting.set(last, { resolve, reject })
        next.push({ id: last, question, handed })
        void posts.ask()
      })
    },
    busy() {
      const before = busyBefore
      // The time of a thread at rest is measured a fraction of a millisecond longer or shorter.
      busyBefore = worker === undefined ? 0 : Math.max(before, busyTime(worker))
      return busyBefore - before
    },
    kill() {
      if (worker === undefined) return
      void worker.terminate()
      leave(worker)
    },
    async close() {
      isClosed = true
      next = []
      rejectAll([...waiting.keys()], new Error('the thread is closed'))
      await worker?.terminate()
    },
  }
}

/** Answers the questions of a thread; asynchronous answers may overlap. */
export function serveQuestions<Question, Answer>(
  answerTo: (question: Question) => Answer | Promise<Answer>,
): void {
  let next = noAnswers<Answer>()

  const posts = createCoalescedRuns(async () => post(), { pace: turn })

  function send(answers: Answers<Answer>): void {
    parentPort?.postMessage(answers)
  }

  function post(): void {
    const all = next
    next = noAnswers()
    try {
      send(all)
    } catch {
      // One of them cannot be copied.
      send({ ...noAnswers(), failures: all.failures })
      for (const [index, id] of all.ids.entries()) sendAlone(id, all.answers[index] as Answer)
    }
  }

  function sendAlone(id: number, answer: Answer): void {
    try {
      send({ ...noAnswers(), ids: [id], answers: [answer] })
    } catch (error) {
      send({ ...noAnswers(), failures: [{ id, message: (error as Error).message }] })
    }
  }

  async function answer(id: number, question: Question): Promise<void> {
    let answered: { answer: Answer } | { message: string }
    try {
      answered = { answer: await answerTo(question) }
    } catch (error) {
      answered = { message: (error as Error).message }
    }
    if ('message' in answered) {
      next.failures.push({ id, message: answered.message })
    } else {
      next.ids.push(id)
      next.answers.push(answered.answer)
    }
    void posts.ask()
  }

  parentPort?.on('message', ({ ids, questions }: Questions<Question>) => {
    for (const [index, id] of ids.entries()) void answer(id, questions[index] as Question)
  })
}

const LOWER_NICENESS = 5

/** Lowers the priority of this thread below that of the event loop. Only Linux supports that for a single thread. */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(LOWER_NICENESS)
  } catch {
    // Not permitted: the thread keeps the normal priority.
  }
}
