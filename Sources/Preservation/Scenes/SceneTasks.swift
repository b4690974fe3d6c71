/// Pending and running async closures that a scene's objects have added (S4).
///
/// The closures are not `Sendable`. Objects add closures here, and the application's actor starts and runs them.
final class SceneTasks {
    typealias Body = () async -> Void

    private var pendingTasks: [(number: Int, body: Body)] = []
    private var runningTasks: [Int: Task<Void, Never>] = [:]
    private var lastTaskNumber = 0
    private var isClosed = false
    /// Handler that is called after a closure has been added.
    var onTaskAdded: (() -> Void)?

    /// Whether any closure is waiting to be started.
    var hasPendingTasks: Bool { !pendingTasks.isEmpty }

    /// Whether any started closure has not returned yet.
    var hasRunningTasks: Bool { !runningTasks.isEmpty }

    /// Adds a closure to run, unless the scene has been closed.
    ///
    /// - Returns: A function that cancels the closure, even before the closure has been started.
    func add(_ body: @escaping Body) -> () -> Void {
        guard !isClosed else { return {} }
        lastTaskNumber += 1
        let number = lastTaskNumber
        pendingTasks.append((number, body))
        onTaskAdded?()
        return { [weak self] in self?.cancel(number) }
    }

    /// Starts the closures that have been added since the last call.
    ///
    /// - Parameter start: A function that starts a task for an added closure. The task must call ``finish(_:)`` after
    ///   the closure has returned.
    func start(_ start: (_ number: Int, _ body: @escaping Body) -> Task<Void, Never>) {
        let startingTasks = pendingTasks
        pendingTasks = []
        for (number, body) in startingTasks { runningTasks[number] = start(number, body) }
    }

    /// Removes a closure that has returned.
    func finish(_ number: Int) {
        runningTasks[number] = nil
    }

    /// Cancels all closures, and ignores closures that are added later.
    func cancelAll() {
        isClosed = true
        pendingTasks = []
        for task in runningTasks.values { task.cancel() }
        runningTasks = [:]
    }

    private func cancel(_ number: Int) {
        pendingTasks.removeAll { $0.number == number }
        runningTasks.removeValue(forKey: number)?.cancel()
    }
}
