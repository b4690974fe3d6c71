import FoundationEssentials
import ServiceLifecycle

/// A service that measures the operations of a store and prints the median duration of each operation.
struct Measurement<Store: JobStore>: Service {
    let store: Store
    let count: Int

    func run() async throws {
        try await measure("add a job", 0..<count) { id in
            _ = try await store.add(job(id), isUrgent: false)
        }
        let sampledIDs = stride(from: 0, to: count, by: max(1, count / 200))
        try await measure("read a job", sampledIDs) { id in _ = try await store.job(id: "\(id)") }
        try await measure("update a job", sampledIDs) { id in
            try await store.setCompletedSteps(1, of: "\(id)")
        }
        try await measure("finish a job: two collections or columns", sampledIDs) { id in
            try await store.finish("\(id)")
        }
        try await measure("remove a job", sampledIDs) { id in _ = try await store.remove("\(id)") }
        try await measure("add a job at the front", sampledIDs) { id in
            _ = try await store.add(job(id), isUrgent: true)
        }
        let memory = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            .split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        print("memory with \(count) jobs:", memory?.dropFirst(6) ?? "")
    }

    private func job(_ id: Int) -> Job {
        Job(id: "\(id)", title: "the job with the number \(id)", user: "ada")
    }

    private func measure(
        _ name: String, _ ids: some Sequence<Int>, _ body: (Int) async throws -> Void
    ) async throws {
        var times: [Duration] = []
        for id in ids {
            let start = ContinuousClock.now
            try await body(id)
            times.append(ContinuousClock.now - start)
        }
        times.sort()
        print("\(name):", times[times.count / 2].formatted)
    }
}

extension Duration {
    fileprivate var formatted: String { "\((self / .microseconds(1) * 10).rounded() / 10) µs" }
}
