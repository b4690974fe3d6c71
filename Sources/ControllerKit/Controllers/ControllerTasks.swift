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
