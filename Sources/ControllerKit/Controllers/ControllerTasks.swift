import StateRestoration

/// The async closures that a controller runs as tasks.
///
/// Running tasks are cancelled when the controller is deallocated (S4).
final class ControllerTasks {
    /// Closures that have not been started because the controller's scene is not known yet.
    var pending: [() async -> Void] = []
    private var cancellations: [Int: () -> Void] = [:]
    private var lastNumber = 0

    deinit {
        for cancel in cancellations.values { cancel() }
    }

    /// Starts the pending closures as tasks in a scene.
    func startPending(in records: SceneRecords) {
        let bodies = pending
        pending = []
        for body in bodies { start(body, in: records) }
    }

    private func start(_ body: @escaping () async -> Void, in records: SceneRecords) {
        lastNumber += 1
        let number = lastNumber
        cancellations[number] = records.startTask? { [weak self] in
            await body()
            self?.cancellations[number] = nil
        }
    }
}
