import { setPriority } from 'node:os'
import { parentPort, Worker } from 'node:worker_threads'
import { busyTime, type Millis, turn } from './clock.ts'
import { heapLimits } from './heap-limits.ts'

/** A worker thread that answers questions, for work that would block the event loop. */
interface Thread<Question, Answer> {
  /**
   * Questions of one turn of the event loop go over in one message, and so do answers. Objects that several of these questions
   * share are copied once.
   * @param handed memory of the question that is transferred to the thread
   * @throws ThreadEndedError where the thread ends before the answer
   * @throws Error with the message of the thread's error
   */
  ask(question: Question, handed?: ArrayBuffer[]): Promise<Answer>
  /** How long the event loop of the thread was busy since the last question, or since its start, in milliseconds; 0 where it does not run. */
  busy(): Millis
  /** Ends the thread in any state, as a crash would. */
  kill(): void
  close(): Promise<void>
}

/** The thread has ended, so it is unknown how far it came with the question. */
export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError'
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

const noQuestions = <Question>(): Questions<Question> => ({ ids: [], questions: [] })
const noAnswers = <Answer>(): Answers<Answer> => ({ ids: [], answers: [], failures: [] })

interface ThreadOptions {
  heapMb: number
  /** The part of the heap for new objects; larger ones are collected less often. */
  youngMb?: number
  workerData?: unknown
  /** Called when the thread has ended without `close`, with the number of open questions. */
  onEnded?: (error: Error, open: number) => void
}

/** The thread starts with the first question, and again after a crash. It keeps the process alive only while a question is open. */
export function createThread<Question, Answer>(
  file: URL,
  { heapMb, youngMb, workerData, onEnded = () => {} }: ThreadOptions,
): Thread<Question, Answer> {
  const waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>()
  let next = noQuestions<Question>()
  let nextHanded: ArrayBuffer[] = []
  let worker: Worker | undefined
  let busyBefore: Millis = 0
  let isClosed = false
  let last = 0

  function reject(id: number, error: Error): void {
    const asker = waiting.get(id)
    waiting.delete(id)
    asker?.reject(error)
  }

  function rejectAll(error: Error): void {
    next = noQuestions()
    nextHanded = []
    for (const id of [...waiting.keys()]) reject(id, error)
  }

  function ended(one: Worker, cause: Error): void {
    if (one !== worker) return
    worker = undefined
    busyBefore = 0
    const open = waiting.size
    rejectAll(new ThreadEndedError('the thread has ended', { cause }))
    if (!isClosed) onEnded(cause, open)
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
    started.on('error', (cause: Error) => ended(started, cause))
    started.on('exit', (code) => ended(started, new Error(`it exited with ${code}`)))
    return started
  }

  function post(): void {
    const { ids, questions } = next
    const handed = nextHanded
    next = noQuestions()
    nextHanded = []
    if (ids.length === 0) return
    try {
      worker ??= start()
      worker.ref()
      worker.postMessage({ ids, questions } satisfies Questions<Question>, handed)
    } catch (error) {
      for (const id of ids) reject(id, error as Error)
    }
  }

  return {
    ask(question, handed = []) {
      return new Promise((resolve, reject) => {
        if (isClosed) return reject(new Error('the thread is closed'))
        last += 1
        waiting.set(last, { resolve, reject })
        if (next.ids.length === 0) void turn().then(post)
        next.ids.push(last)
        next.questions.push(question)
        nextHanded.push(...handed)
      })
    },
    busy() {
      const before = busyBefore
      busyBefore = worker === undefined ? 0 : busyTime(worker)
      return busyBefore - before
    },
    kill: () => void worker?.terminate(),
    async close() {
      isClosed = true
      rejectAll(new Error('the thread is closed'))
      await worker?.terminate()
    },
  }
}

/** Answers the questions of a thread; asynchronous answers may overlap. */
export function serveQuestions<Question, Answer>(
  answerTo: (question: Question) => Answer | Promise<Answer>,
): void {
  let next = noAnswers<Answer>()

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
    if (next.ids.length + next.failures.length === 0) void turn().then(post)
    if ('message' in answered) {
      next.failures.push({ id, message: answered.message })
      return
    }
    next.ids.push(id)
    next.answers.push(answered.answer)
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
