/// The async bodies that the objects of one scene have asked for (S4), until they return.
///
/// Bodies are not Sendable: they are handed over here and started by the application's actor, which
/// they then run on.
final class SceneTasks {
    typealias Body = () async -> Void

    private var new: [(number: Int, body: Body)] = []
    private var running: [Int: Task<Void, Never>] = [:]
    private var last = 0
    private var hasEnded = false
    /// Called when there is something to start.
    var onNew: (() -> Void)?

    /// Whether there is something to start.
    var hasNew: Bool { !new.isEmpty }

    /// Whether a body has begun and not returned.
    var isAnyRunning: Bool { !running.isEmpty }

    /// Takes a body that is to run; nothing runs any more after the scene has ended.
    ///
    /// - Returns: cancels it, also before it was started.
    func add(_ body: @escaping Body) -> () -> Void {
        guard !hasEnded else { return {} }
        last += 1
        let number = last
        new.append((number, body))
        onNew?()
        return { [weak self] in self?.cancel(number) }
    }

    /// Starts what is new.
    ///
    /// - Parameter start: runs a body, and says when it has returned.
    func start(_ start: (_ number: Int, _ body: @escaping Body) -> Task<Void, Never>) {
        let starting = new
        new = []
        for (number, body) in starting { running[number] = start(number, body) }
    }

    /// A body has returned.
    func finish(_ number: Int) {
        running[number] = nil
    }

    /// The scene ends: everything is cancelled.
    func end() {
        hasEnded = true
        new = []
        for task in running.values { task.cancel() }
        running = [:]
    }

    private func cancel(_ number: Int) {
        new.removeAll { $0.number == number }
        running.removeValue(forKey: number)?.cancel()
    }
}
