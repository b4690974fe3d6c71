import StateRestoration

/// The async closures that a controller runs as tasks.
///
/// Running tasks are cancelled when the controller is deallocated (S4).
final class ControllerTasks {
    /// Closures that have not started because the controller does not belong to a scene yet.
    var pendingBodies: [() async -> Void] = []
    /// Closures that cancel the running tasks, keyed by task number.
    private var cancellations: [Int: () -> Void] = [:]
    private var lastTaskNumber = 0

    deinit {
        for cancel in cancellations.values { cancel() }
    }

    /// Starts the pending closures as tasks in a scene.
    func startPendingBodies(in records: SceneRecords) {
        let bodies = pendingBodies
        pendingBodies = []
        for body in bodies { start(body, in: records) }
    }

    private func start(_ body: @escaping () async -> Void, in records: SceneRecords) {
        lastTaskNumber += 1
        let taskNumber = lastTaskNumber
        cancellations[taskNumber] = records.startTask? { [weak self] in
            await body()
            self?.cancellations[taskNumber] = nil
        }
    }
}
