#if Etcd
    package import Encryption
    import ExactText
    package import SavedState
    package import StateRecords
    import Synchronization

    /// Puts what one application saves to etcd, in the order of its log, for one term.
    ///
    /// Each transaction compares the revision that made this host the owner: after another one was made it,
    /// none succeeds, whatever any clock says. While one is on its way all that comes gathers for the next.
    package final class ReplicaWriter: StateReplica {
        /// A term of an owner.
        package struct Term: Sendable {
            /// Whose state it is.
            package let bundleIdentifier: String
            /// The owner.
            package let host: String
            /// The revision that made it the owner.
            package let number: UInt64

            package init(bundleIdentifier: String, host: String, number: UInt64) {
                self.bundleIdentifier = bundleIdentifier
                self.host = host
                self.number = number
            }
        }

        /// Why nothing is put any more.
        package enum End: Sendable, Equatable {
            /// It was told to put nothing more.
            case cancelled
            /// Another host owns the application.
            case lost
        }

        /// Something that was saved.
        private struct Item {
            var records: RecordList
            var turn: UInt64
            /// Whether these are all that count.
            var isWhole: Bool
            /// How many were taken with it.
            var number: UInt64
        }

        private struct State {
            var progress = ReplicaProgress()
            var items: [Item] = []
            var documents: [ExactString: [UInt8]] = [:]
            var byteCount = 0
            /// How many bytes the whole state has, about.
            var wholeByteCount = 0
            /// Whether items were left out, since too much waited; only a whole state mends that.
            var isBehind = true
            /// Whether the whole state was asked for.
            var isWholeAwaited = false
            /// Whether nothing is to gather any more.
            var isHurried = false
            /// Whether the writer lets things gather now: nothing that is taken wakes it.
            var isGathering = false
            var isOver = false
            var isCancelled = false
            var waiting: CheckedContinuation<Void, Never>?
            /// Who waits until all is replicated.
            var completion: CheckedContinuation<Void, Never>?

            mutating func takeCompletion() -> CheckedContinuation<Void, Never>? {
                progress.isComplete || isOver ? completion.take() : nil
            }
        }

        /// So many bytes wait in any case, and so many at most; between them twice as many as the whole state
        /// has: beyond that the whole state goes in their place, which is shorter.
        private static let waiting = (least: 64 << 10, most: 16 << 20)
        /// The bytes of one transaction, about.
        private static let mostPut = 768 << 10
        /// How many documents one batch has at most: a transaction has at most 128 operations.
        private static let mostDocuments = 32
        /// A log shorter than this is not replaced by a whole state.
        private static let shortLog = 1 << 20
        /// How long it waits after a failure.
        private static let pauses = (first: Duration.milliseconds(50), last: Duration.seconds(1))

        private let state = Mutex(State())
        /// Tells this writer from others of the term. JSON's numbers have 53 bits.
        private let writer = UInt64.random(in: 1..<1 << 53)
        private let client: EtcdClient
        private let keyspace: Keyspace
        package let term: Term
        private let keys: EncryptionKeys
        private let interval: @Sendable () -> Duration
        private let clock: any Clock<Duration>
        private let onProgress: @Sendable () -> Void
        private let requestWhole: @Sendable () -> Void

        /// - Parameters:
        ///   - keys: what is put is encrypted with, if it is to be.
        ///   - interval: how long what comes may gather; zero: it goes at once.
        ///   - onProgress: is called when ``progress`` is another.
        ///   - requestWhole: is called when it needs the whole state, by ``replace(with:turn:)``.
        package init(
            _ term: Term, in keyspace: Keyspace, sealedBy keys: EncryptionKeys,
            by client: EtcdClient,
            interval: @escaping @Sendable () -> Duration, clock: any Clock<Duration>,
            onProgress: @escaping @Sendable () -> Void,
            requestWhole: @escaping @Sendable () -> Void
        ) {
            self.term = term
            self.keyspace = keyspace
            self.keys = keys
            self.client = client
            self.interval = interval
            self.clock = clock
            self.onProgress = onProgress
            self.requestWhole = requestWhole
        }

        // MARK: Taking

        package var progress: ReplicaProgress { state.withLock(\.progress) }

        package func append(_ records: RecordList, turn: UInt64) {
            take { state in
                if state.isBehind { return }
                state.items.append(
                    Item(
                        records: records, turn: turn, isWhole: false, number: state.progress.taken))
                state.byteCount += records.payloadByteCount
            }
        }

        package func replace(with records: RecordList, turn: UInt64) {
            take { state in
                // It makes needless what came before.
                state.items = [
                    Item(records: records, turn: turn, isWhole: true, number: state.progress.taken)
                ]
                state.byteCount = 0
                state.wholeByteCount = records.payloadByteCount
                state.isBehind = false
            }
        }

        package func replaceDocument(_ name: String, with bytes: [UInt8]) {
            take { $0.documents[ExactString(name)] = bytes }
        }

        private func take(_ body: (inout State) -> Void) {
            let waiting = state.withLock { state in
                state.progress.taken += 1
                let wasBehind = state.isBehind
                body(&state)
                let most = min(max(Self.waiting.least, 2 * state.wholeByteCount), Self.waiting.most)
                if state.byteCount > most {
                    state.items = []
                    state.byteCount = 0
                    state.isBehind = true
                }
                // Who waits for the whole state is not woken by less.
                return state.isGathering || state.isBehind && wasBehind && state.isWholeAwaited
                    ? nil : state.waiting.take()
            }
            waiting?.resume()
        }

        /// Returns when everything that was taken is replicated, or a time has passed.
        ///
        /// - Returns: whether it is.
        package func waitUntilComplete(within limit: Duration) async -> Bool {
            state.withLock { $0.isHurried = true }
            defer { state.withLock { $0.isHurried = false } }
            endGathering()
            let timer = Task {
                await sleep(limit)
                if !Task.isCancelled { state.withLock { $0.completion.take() }?.resume() }
            }
            defer { timer.cancel() }
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state in
                    state.completion = continuation
                    return state.takeCompletion()
                }
                ready?.resume()
            }
            return progress.isComplete
        }

        /// Nothing more is put.
        package func cancel() {
            let waiting = state.withLock { state in
                state.isOver = true
                state.isCancelled = true
                return (state.waiting.take(), state.takeCompletion())
            }
            waiting.0?.resume()
            waiting.1?.resume()
        }

        // MARK: Putting

        /// Things that are put together.
        private struct Batch {
            var whole: (records: RecordList, turn: UInt64)?
            var records = RecordList()
            var turn: UInt64 = 0
            var documents: [ExactString: [UInt8]] = [:]
            /// Up to where it holds everything.
            var taken: UInt64 = 0
            var hasRecords: Bool { whole != nil || !records.isEmpty }
        }

        /// Puts what comes, until it is told to end, or another host is the owner.
        ///
        /// - Parameter before: what was there when the term began; nil: nothing.
        package func run(after before: ReplicatedState?) async -> End {
            var place = Place(
                current: before?.current, number: before?.number(in: term.number) ?? 0)
            if let before {
                // What an earlier writer has on its way comes too late from now on.
                let fence = fence(before.current, at: place)
                guard await put(fence) else { return end() }
                place = fence.place
            }
            while await wait(until: { !$0.progress.isComplete }) {
                await gather(for: interval())
                if state.withLock(\.isBehind) { await waitForWhole() }
                guard let batch = takeBatch() else { continue }
                let step = prepare(batch, at: place)
                guard await put(step) else { return end() }
                place = step.place
                note(batch)
                if place.isLong { state.withLock { $0.isBehind = true } }
            }
            return end()
        }

        private func end() -> End {
            let (end, waiting) = state.withLock { state in
                state.isOver = true
                return (state.isCancelled ? End.cancelled : .lost, state.takeCompletion())
            }
            waiting?.resume()
            return end
        }

        /// Lets what comes gather for a time, unless somebody waits for it.
        private func gather(for interval: Duration) async {
            guard interval > .zero,
                state.withLock({ state in
                    state.isGathering = !state.isHurried
                    return state.isGathering
                })
            else { return }
            let timer = Task {
                await sleep(interval)
                if !Task.isCancelled { endGathering() }
            }
            defer { timer.cancel() }
            _ = await wait { !$0.isGathering }
        }

        private func endGathering() {
            let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard state.isGathering else { return nil }
                state.isGathering = false
                return state.waiting.take()
            }
            waiting?.resume()
        }

        private func waitForWhole() async {
            state.withLock { $0.isWholeAwaited = true }
            requestWhole()
            _ = await wait { !$0.isBehind }
            state.withLock { $0.isWholeAwaited = false }
        }

        /// Puts the same again and again until that succeeds: an attempt whose answer was lost may yet be
        /// carried out, and changes nothing then.
        ///
        /// - Returns: false if this host is not the owner any more, or nothing is to be put.
        private func put(_ step: Step) async -> Bool {
            var pause = Self.pauses.first
            while !state.withLock(\.isOver) {
                do throws(EtcdError) {
                    return try await commit(step)
                } catch {
                    state.withLock { $0.progress.failure = "\(error)" }
                    onProgress()
                    await sleep(pause)
                    pause = min(pause * 2, Self.pauses.last)
                }
            }
            return false
        }

        private func note(_ batch: Batch) {
            let waiting = state.withLock { state in
                state.progress.replicated = max(state.progress.replicated, batch.taken)
                state.progress.failure = nil
                return state.takeCompletion()
            }
            waiting?.resume()
            onProgress()
        }

        private func sleep(_ duration: Duration) async {
            do { try await clock.sleep(for: duration) } catch {}
        }

        /// Returns when something is so.
        ///
        /// - Returns: false if nothing is to be put any more.
        private func wait(until isSo: @escaping @Sendable (State) -> Bool) async -> Bool {
            while true {
                let (isOver, isNow) = state.withLock { state in
                    (state.isOver, isSo(state))
                }
                if isOver { return false }
                if isNow { return true }
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        if state.isOver || isSo(state) { return true }
                        state.waiting = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            }
        }

        private func takeBatch() -> Batch? {
            state.withLock { state in
                var batch = Batch()
                // Before the state that belongs to them (P19).
                for name in state.documents.keys.prefix(Self.mostDocuments) {
                    batch.documents[name] = state.documents.removeValue(forKey: name)
                }
                var bytes = batch.documents.values.reduce(0) { $0 + $1.count }
                var count = 0
                for item in state.items where state.documents.isEmpty {
                    bytes += item.isWhole ? 0 : item.records.payloadByteCount
                    // A whole state goes by itself.
                    if count > 0, batch.whole != nil || item.isWhole || bytes > Self.mostPut {
                        break
                    }
                    count += 1
                    if item.isWhole {
                        batch.whole = (item.records, item.turn)
                        continue
                    }
                    batch.records.append(item.records)
                    batch.turn = item.turn
                    state.byteCount -= item.records.payloadByteCount
                }
                state.items.removeFirst(count)
                let isRest = state.isBehind || !state.documents.isEmpty
                batch.taken =
                    isRest
                    ? state.progress.replicated
                    : state.items.first.map { $0.number - 1 } ?? state.progress.taken
                return count == 0 && batch.documents.isEmpty ? nil : batch
            }
        }

        /// Where in etcd the state is.
        private struct Place {
            /// Which state counts; nil: there is none.
            var current: CurrentState?
            /// The state that counts, if this writer published it.
            var id = ""
            var chain: ReplicaChain?
            /// Counts what was put in the term.
            var number = 0

            init(current: CurrentState?, number: Int) {
                self.current = current
                self.number = number
            }

            /// Whether turns have added so much to the state that a whole one is shorter.
            var isLong: Bool {
                guard let chain else { return false }
                return chain.addedByteCount > max(ReplicaWriter.shortLog, 2 * chain.wholeByteCount)
            }
        }

        /// The writes of a batch, and where the state is afterwards.
        private struct Step {
            var writes: [(key: String, value: [UInt8])] = []
            /// Further operations of the transaction with the last of them.
            var last: [EtcdOperation] = []
            var guards: [EtcdCompare]
            var place: Place
        }

        /// Makes this the only writer of the state that counts.
        private func fence(_ current: CurrentState, at place: Place) -> Step {
            var mine = current
            mine.writer = writer
            let key = keyspace.current(term.bundleIdentifier)
            var step = Step(guards: [owned, .value(of: key, is: current.bytes)], place: place)
            step.last = [.put(key, mine.bytes)]
            step.place.current = mine
            return step
        }

        private func prepare(_ batch: Batch, at place: Place) -> Step {
            let application = term.bundleIdentifier
            let key = keyspace.current(application)
            var step = Step(guards: [owned], place: place)
            step.guards.append(
                place.current.map { .value(of: key, is: $0.bytes) }
                    ?? .createRevision(of: key, is: 0))
            step.place.number += 1
            let line = ReplicatedValue.Line(
                host: term.host, term: term.number, turn: batch.whole?.turn ?? batch.turn,
                number: step.place.number)
            for (name, bytes) in batch.documents {
                let key = keyspace.documents(application) + name.text
                step.writes += ReplicatedValue.make(key, bytes, by: line, sealedBy: keys)
                step.last.append(.delete("\(key)/", to: line.pieces(of: key)))
            }
            if let whole = batch.whole {
                // It is put beside the one that counts, and then counts.
                let id = Keyspace.stateID(
                    term: term.number, number: step.place.number, writer: writer)
                let (chain, bytes) = ReplicaChain.begin(
                    with: whole.records, of: application, turn: whole.turn)
                step.writes += ReplicatedValue.make(
                    keyspace.base(application, id), bytes, by: line, sealedBy: keys)
                let current = CurrentState(
                    id: id, host: term.host, term: term.number, writer: writer)
                step.last += [
                    .put(key, current.bytes),
                    .delete(keyspace.states(application), to: keyspace.state(application, id)),
                ]
                (step.place.current, step.place.id, step.place.chain) = (current, id, chain)
                return step
            }
            if !batch.documents.isEmpty, let current = place.current {
                // An earlier attempt that is carried out late must not put an earlier document back.
                let next = current.numbered(step.place.number)
                step.last.append(.put(key, next.bytes))
                step.place.current = next
            }
            if batch.hasRecords, step.place.chain != nil {
                step.writes += ReplicatedValue.make(
                    keyspace.log(application, place.id, term: term.number, turn: batch.turn),
                    step.place.chain?.append(batch.records) ?? [], by: line, sealedBy: keys)
            }
            return step
        }

        private var owned: EtcdCompare {
            .createRevision(
                of: keyspace.owner(term.bundleIdentifier), is: Int64(term.number))
        }

        /// Makes transactions of writes. Each is made only if this host is the owner.
        ///
        /// - Returns: false if it is not.
        private func commit(_ step: Step) async throws(EtcdError) -> Bool {
            var operations: [EtcdOperation] = []
            var byteCount = 0
            for write in step.writes {
                if byteCount + write.value.count > Self.mostPut || operations.count >= 64,
                    !operations.isEmpty
                {
                    guard try await commit(operations, of: step) else { return false }
                    (operations, byteCount) = ([], 0)
                }
                operations.append(.put(write.key, write.value))
                byteCount += write.value.count
            }
            return try await commit(operations + step.last, of: step)
        }

        private func commit(
            _ operations: [EtcdOperation], of step: Step
        ) async throws(EtcdError) -> Bool {
            let (owner, current) = (
                keyspace.owner(term.bundleIdentifier), keyspace.current(term.bundleIdentifier)
            )
            let reply = try await client.commit(
                EtcdTransaction(
                    if: step.guards, then: operations,
                    otherwise: [.range(EtcdRange(owner)), .range(EtcdRange(current))]))
            if reply.succeeded { return true }
            // An attempt whose answer was lost may have had the new state count already.
            return reply.entries.contains {
                $0.name == owner && $0.createRevision == Int64(term.number)
            }
                && reply.entries.contains {
                    $0.name == current && $0.bytes == step.place.current?.bytes
                }
        }
    }
#endif
