/// Pending and running async bodies that the objects of one scene have added (S4).
///
/// Bodies are not Sendable. Objects add their bodies here, and the application's actor starts and runs the bodies.
final class SceneTasks {
    typealias Body = () async -> Void

    private var new: [(number: Int, body: Body)] = []
    private var running: [Int: Task<Void, Never>] = [:]
    private var last = 0
    private var hasEnded = false
    /// Called when a body is ready to be started.
    var onNew: (() -> Void)?

    /// Whether a body is ready to be started.
    var hasNew: Bool { !new.isEmpty }

    /// Whether a started body has not returned yet.
    var isAnyRunning: Bool { !running.isEmpty }

    /// Adds a body to run, unless the scene is closed.
    ///
    /// - Returns: A function that cancels the body, even before it is started.
    func add(_ body: @escaping Body) -> () -> Void {
        guard !hasEnded else { return {} }
        last += 1
        let number = last
        new.append((number, body))
        onNew?()
        return { [weak self] in self?.cancel(number) }
    }

    /// Starts the bodies that were added since the last call.
    ///
    /// - Parameter start: Starts a body, and calls ``finish(_:)`` after it has returned.
    func start(_ start: (_ number: Int, _ body: @escaping Body) -> Task<Void, Never>) {
        let starting = new
        new = []
        for (number, body) in starting { running[number] = start(number, body) }
    }

    /// Removes a body that has returned.
    func finish(_ number: Int) {
        running[number] = nil
    }

    /// Cancels all bodies because the scene is closed.
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
