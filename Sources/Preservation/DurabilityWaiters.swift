/// Who waits until what was written is durable.
struct DurabilityWaiters {
    /// What is told how safe the state is then.
    typealias Answer = (Saved) -> Void

    private var waiting: [(write: UInt64, answer: Answer)] = []

    /// Whether nobody waits.
    var isEmpty: Bool { waiting.isEmpty }

    /// Waits for a write.
    ///
    /// - Parameter write: its number.
    mutating func append(_ write: UInt64, _ answer: @escaping Answer) {
        waiting.append((write, answer))
    }

    /// Takes out those who wait for a write up to this one.
    mutating func take(upTo write: UInt64) -> [Answer] {
        // Numbers only grow, but for a launch, before which everybody was answered.
        let ready = waiting.prefix { $0.write <= write }
        waiting.removeFirst(ready.count)
        return ready.map(\.answer)
    }

    /// Takes out everybody.
    mutating func takeAll() -> [Answer] {
        defer { waiting = [] }
        return waiting.map(\.answer)
    }
}
