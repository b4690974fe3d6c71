import StateRestoration

/// A view controller that can run tasks.
///
/// With this protocol, the closure passed to ``task(_:)`` receives the controller as its concrete type.
public protocol TaskOwner: ViewController {}

extension ViewController: TaskOwner {}

extension TaskOwner {
    /// Runs an async closure on the application's actor for as long as the controller and its scene exist (S4).
    ///
    /// The closure does not hold a strong reference to the controller. It receives a ``TaskOwnerReference``, through
    /// which it accesses the controller between suspension points. It cannot capture the controller or the controller's
    /// objects, because they are not Sendable. The task is cancelled when the controller is deallocated or the scene is
    /// closed. Objects that the closure invalidates are saved in a separate turn.
    ///
    ///     task { controller in
    ///         for await price in feed.prices {
    ///             controller { $0.show(price) }
    ///         }
    ///     }
    ///
    /// The task starts as soon as the controller belongs to a scene.
    ///
    /// - Parameter body: The async closure to run.
    public func task(_ body: @escaping @Sendable (TaskOwnerReference<Self>) async -> Void) {
        let controller = TaskOwnerReference(self)
        addTask { await body(controller) }
    }
}

/// A weak reference to the view controller that runs a task.
public struct TaskOwnerReference<Controller: ViewController> {
    private let link: WeakLink<Controller>

    init(_ controller: Controller) {
        link = WeakLink(to: controller)
    }

    /// Calls a synchronous closure with the controller.
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
    /// Starts the pending tasks if this controller belongs to a scene.
    ///
    /// Called after another controller has added or presented this controller.
    package func startTasksIfAttached() {
        if restoration.onAttached != nil { startPendingTasks() }
    }

    func addTask(_ body: @escaping () async -> Void) {
        let tasks = self.tasks ?? ControllerTasks()
        self.tasks = tasks
        tasks.pendingBodies.append(body)
        startPendingTasks()
    }

    /// Starts the pending tasks of this controller and its descendants, or defers them until the scene is known.
    ///
    /// The first controller to be attached to the scene can be this controller, or a controller that contains or
    /// presents it.
    private func startPendingTasks() {
        if let records = attachedRecords {
            startPendingTasks(in: records)
            return
        }
        var currentController: ViewController? = self
        while let controller = currentController {
            controller.restoration.onAttached = { [link = WeakLink(to: controller)] in
                link.object?.startPendingTasks()
            }
            currentController = controller.restorationParent as? ViewController
        }
    }

    private func startPendingTasks(in records: SceneRecords) {
        restoration.onAttached = nil
        tasks?.startPendingBodies(in: records)
        for child in children { child.startPendingTasks(in: records) }
        presentedController?.startPendingTasks(in: records)
    }

    private var attachedRecords: SceneRecords? {
        let ancestors = sequence(first: self as any StateRestoring) { $0.restorationParent }
        return ancestors.lazy.compactMap(\.restoration.records).first { _ in true }
    }
}
