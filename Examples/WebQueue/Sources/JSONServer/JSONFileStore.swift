import Foundation
import WebQueue

/// A store that keeps the jobs in a JSON file, which it replaces after each change.
actor JSONFileStore: JobStore {
    private var list: JobList
    private let file: URL
    nonisolated let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    init(file: URL) throws {
        self.file = file
        list =
            FileManager.default.fileExists(atPath: file.path)
            ? try JSONDecoder().decode(JobList.self, from: Data(contentsOf: file))
            : JobList(waiting: [], finished: [])
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        changed.yield()
    }

    var next: Job? { list.waiting.first }

    func jobs() -> JobList { list }

    func job(id: Job.ID) -> Job? {
        list.waiting.first { $0.id == id } ?? list.finished.first { $0.id == id }
    }

    func add(_ job: Job, isUrgent: Bool) throws -> Bool {
        guard self.job(id: job.id) == nil else { return false }
        try update { $0.waiting.insert(job, at: isUrgent ? 0 : $0.waiting.endIndex) }
        return true
    }

    func setCompletedSteps(_ count: Int, of id: Job.ID) throws {
        guard let index = list.waiting.firstIndex(where: { $0.id == id }) else { return }
        try update { $0.waiting[index].completedSteps = count }
    }

    func finish(_ id: Job.ID) throws {
        guard let index = list.waiting.firstIndex(where: { $0.id == id }) else { return }
        try update { $0.finished.append($0.waiting.remove(at: index)) }
    }

    func remove(_ id: Job.ID) throws -> Bool {
        guard job(id: id) != nil else { return false }
        try update {
            $0.waiting.removeAll { $0.id == id }
            $0.finished.removeAll { $0.id == id }
        }
        return true
    }

    private func update(_ body: (inout JobList) -> Void) throws {
        var new = list
        body(&new)
        try JSONEncoder().encode(new).write(to: file, options: .atomic)
        list = new
        changed.yield()
    }
}
