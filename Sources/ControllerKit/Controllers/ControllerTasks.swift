import StateRestoration

/// The async bodies that a controller runs.
///
/// Running bodies are cancelled when the controller is deallocated (S4).
final class ControllerTasks {
    /// Bodies that have not started because the controller's scene is not known yet.
    var pending: [() async -> Void] = []
    private var cancellations: [Int: () -> Void] = [:]
    private var last = 0

    deinit {
        for cancel in cancellations.values { cancel() }
    }

    /// Starts the waiting bodies in the scene.
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

/// A view controller that can run tasks.
///
/// The protocol exists so that the closure of ``task(_:)`` receives the controller's own class.
public protocol TaskOwner: ViewController {}

extension ViewController: TaskOwner {}

extension TaskOwner {
    /// Runs an async body on the application's actor while the controller and its scene exist (S4).
    ///
    /// The body does not hold a strong reference to the controller. It receives a ``TaskController``, through which
    /// it accesses the controller between two suspension points. It cannot capture the controller or the
    /// controller's objects, because they are not Sendable. The body is cancelled when the controller is
    /// deallocated or the scene is closed. Objects that the body invalidates are saved in a separate turn.
    ///
    ///     task { controller in
    ///         for await price in feed.prices {
    ///             controller { $0.show(price) }
    ///         }
    ///     }
    ///
    /// The body starts when the controller belongs to a scene. If no container or window holds the controller yet,
    /// the body starts later.
    ///
    /// - Parameter body: The async closure to run.
    public func task(_ body: @escaping @Sendable (TaskController<Self>) async -> Void) {
        let controller = TaskController(self)
        addTask { await body(controller) }
    }
}

/// A weak reference to the view controller that runs a task.
public struct TaskController<Controller: ViewController> {
    private let link: WeakLink<Controller>

    init(_ controller: Controller) {
        link = WeakLink(to: controller)
    }

    /// Calls a closure with the controller, without suspending in between.
    ///
    /// - Parameter body: A closure that receives the controller. Its result is Sendable, so that the task cannot
    ///   store the controller.
    /// - Returns: The result of the closure, or `nil` if the controller no longer exists.
    @discardableResult
    public func callAsFunction<Result: Sendable>(
        _ body: (Controller) throws -> Result
    ) rethrows -> Result? {
        guard let controller = link.object else { return nil }
        return try body(controller)
    }
}

extension ViewController {
    /// Starts tasks that waited for a scene, after the controller was added to another controller.
    package func startTasksIfAttached() {
        if restoration.onAttached != nil { startPendingTasks() }
    }

    func addTask(_ body: @escaping () async -> Void) {
        let tasks = self.tasks ?? ControllerTasks()
        self.tasks = tasks
        tasks.pending.append(body)
        startPendingTasks()
    }

    /// Starts the waiting tasks of this controller and its descendants, or defers them until the scene is known.
    ///
    /// The scene can become known to this controller or to any controller that holds it.
    private func startPendingTasks() {
        if let records = knownRecords {
            startPendingTasks(in: records)
            return
        }
        var holder: ViewController? = self
        while let controller = holder {
            controller.restoration.onAttached = { [link = WeakLink(to: controller)] in
                link.object?.startPendingTasks()
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
