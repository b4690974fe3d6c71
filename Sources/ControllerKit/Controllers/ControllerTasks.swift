import StateRestoration

/// The async bodies that one controller runs; what still runs is cancelled when it goes (S4).
final class ControllerTasks {
    /// Bodies that wait for the scene to become known.
    var pending: [() async -> Void] = []
    private var cancellations: [Int: () -> Void] = [:]
    private var last = 0

    deinit {
        for cancel in cancellations.values { cancel() }
    }

    /// Hands what waits to the scene.
    func startPending(in records: SceneRecords) {
        let bodies = pending
        pending = []
        for body in bodies { start(body, in: records) }
    }

    private func start(_ body: @escaping () async -> Void, in records: SceneRecords) {
        last += 1
        let number = last
        cancellations[number] = records.startTask? { [weak self] in
            await body()
            self?.cancellations[number] = nil
        }
    }
}

/// What can run tasks: every view controller. It gives ``task(_:)`` the controller's own class.
public protocol TaskOwner: ViewController {}

extension ViewController: TaskOwner {}

extension TaskOwner {
    /// Runs an async body on the application's actor, for as long as the controller and its scene
    /// live (S4).
    ///
    /// The body never holds the controller: it gets a ``TaskController``, through which it reaches
    /// the controller between two waits, and it cannot capture the controller or anything of it,
    /// because they are not Sendable. It is cancelled when the controller goes or the scene ends.
    /// Objects that it invalidates are saved in a turn of its own.
    ///
    ///     task { controller in
    ///         for await price in feed.prices {
    ///             controller { $0.show(price) }
    ///         }
    ///     }
    ///
    /// It starts once the controller belongs to a scene: one that no container and no window has
    /// taken in yet waits until then.
    ///
    /// - Parameter body: what to run.
    public func task(_ body: @escaping @Sendable (TaskController<Self>) async -> Void) {
        let controller = TaskController(self)
        addTask { await body(controller) }
    }
}

/// A view controller as one of its tasks sees it: there as long as somebody else holds it.
public struct TaskController<Controller: ViewController> {
    private weak var controller: Controller?

    init(_ controller: Controller) {
        self.controller = controller
    }

    /// Does something with the controller, without waiting in between.
    ///
    /// - Parameter body: gets the controller. What it gives is Sendable, so that the controller
    ///   cannot be kept.
    /// - Returns: what the body gave; nil if the controller is gone.
    @discardableResult
    public func callAsFunction<Result: Sendable>(
        _ body: (Controller) throws -> Result
    ) rethrows -> Result? {
        guard let controller else { return nil }
        return try body(controller)
    }
}

extension ViewController {
    /// The controller stands below another one now: tasks that waited for a scene may start.
    package func startTasksIfAttached() {
        if restoration.onAttached != nil { startPendingTasks() }
    }

    func addTask(_ body: @escaping () async -> Void) {
        let tasks = self.tasks ?? ControllerTasks()
        self.tasks = tasks
        tasks.pending.append(body)
        startPendingTasks()
    }

    /// Starts what waits here and below, or lets it wait for the scene to become known: that may
    /// come to the controller itself, or to any that holds it.
    private func startPendingTasks() {
        if let records = knownRecords {
            startPendingTasks(in: records)
            return
        }
        var holder: ViewController? = self
        while let controller = holder {
            controller.restoration.onAttached = { [weak controller] in
                controller?.startPendingTasks()
            }
            holder = controller.restorationParent as? ViewController
        }
    }

    private func startPendingTasks(in records: SceneRecords) {
        restoration.onAttached = nil
        tasks?.startPending(in: records)
        for child in children { child.startPendingTasks(in: records) }
        presented?.startPendingTasks(in: records)
    }

    private var knownRecords: SceneRecords? {
        let holders = sequence(first: self as any StateRestoring) { $0.restorationParent }
        return holders.lazy.compactMap(\.restoration.records).first { _ in true }
    }
}
