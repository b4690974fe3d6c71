import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Changes received by readers that follow a collection.
@Suite(.timeLimit(.minutes(5))) struct CollectionChangesTests {
    private struct Job: Codable, Equatable, Identifiable {
        var id: Int
        var title = ""
    }

    /// Returns a short description of a change.
    private func words(_ change: CollectionChange<Job>?) -> [String] {
        switch change {
        case nil: ["end"]
        case .all(let jobs): ["all"] + jobs.map { "\($0.id)\($0.title)" }
        case .elements(let changes):
            changes.map { change in
                switch change {
                case .removed(let id): "-\(id)"
                case .inserted(let job, let index): "+\(job.id)\(job.title)@\(index)"
                case .moved(let job, let index): "~\(job.id)\(job.title)@\(index)"
                case .updated(let job, let index): "=\(job.id)\(job.title)@\(index)"
                }
            }
        }
    }

    @Test func `a reader receives all elements first, and then the changes of each update`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (application: Application, jobs: RestorableCollection<Job>) async throws in
                try await jobs.update { $0.append(contentsOf: (1...3).map { Job(id: $0) }) }
                var changes = jobs.changes.makeAsyncIterator()
                #expect(words(await changes.next()) == ["all", "1", "2", "3"])
                // Reads and updates without effect do not cause changes.
                _ = try await jobs.elements
                try await jobs.update { _ in }
                try await jobs.update { $0[id: 2]?.title = "b" }
                #expect(words(await changes.next()) == ["=2b@1"])
                try await jobs.update { jobs in
                    jobs.remove(id: 1)
                    jobs.insert(Job(id: 4), at: 0)
                    jobs.move(id: 3, to: 1)
                }
                #expect(words(await changes.next()) == ["-1", "+4@0", "~3@1"])
                // An element that is added and removed between two reads does not cause a change.
                try await jobs.update { $0.append(Job(id: 7)) }
                try await jobs.update { $0.remove(id: 7) }
                // Changes between two reads are combined.
                try await jobs.update { $0.append(Job(id: 5)) }
                try await jobs.update { $0[id: 5]?.title = "e" }
                try await jobs.update { $0.append(Job(id: 6)) }
                try await jobs.update { $0.remove(id: 6) }
                #expect(words(await changes.next()) == ["+5e@3"])
                try await application.reset()
                #expect(words(await changes.next()) == ["all"])
            }
        }
    }

    @Test func `a reader that applies every change has the current elements`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                var numbers = SystemRandomNumberGenerator()
                var changes = jobs.changes.makeAsyncIterator()
                var copy: [Job] = []
                await changes.next()?.apply(to: &copy)
                for round in 0..<300 {
                    for _ in 0...Int.random(in: 0..<3, using: &numbers) {
                        let (id, index) = (Int.random(in: 0..<20), Int.random(in: 0..<20))
                        let way = Int.random(in: 0..<4)
                        try await jobs.update { jobs in
                            // Every round changes at least one element.
                            jobs[id: 20] = Job(id: 20, title: "\(round)")
                            switch (way, jobs[id: id]) {
                            case (0, nil): jobs.insert(Job(id: id), at: min(index, jobs.count))
                            case (1, _): jobs.remove(id: id)
                            case (2, _?): jobs.move(id: id, to: min(index, jobs.count - 1))
                            default: jobs[id: id] = Job(id: id, title: "\(index)")
                            }
                        }
                    }
                    await changes.next()?.apply(to: &copy)
                    let elements = try await jobs.elements
                    try #require(copy == elements)
                }
            }
        }
    }

    @Test func `a reader that is too slow for the log receives all elements`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                var changes = jobs.changes.makeAsyncIterator()
                #expect(words(await changes.next()) == ["all"])
                let count = ElementLog.maximumCount + 1
                try await jobs.update { $0.append(contentsOf: (0..<count).map { Job(id: $0) }) }
                guard case .all(let elements) = await changes.next() else {
                    Issue.record("the log has no limit")
                    return
                }
                #expect(elements.count == count)
            }
        }
    }

    @Test func `the log discards the oldest updates as a whole`() {
        var log = ElementLog(version: 0)
        log.startLogging()
        let limit = ElementLog.maximumCount
        func entry(_ number: Int) -> ElementLog.Entry {
            ElementLog.Entry(
                identifier: RestorationIdentifier(recorded: "\(number)"), position: number,
                id: number)
        }
        for version in 1...limit {
            log.append(
                [entry(3 * version), entry(3 * version + 1), entry(version)], version: version)
        }
        #expect(log.version == limit)
        #expect(log.changes(since: 0) == nil)
        let recent = log.changes(since: limit - limit / 3)
        #expect(recent?.count == limit / 3 * 3)
        #expect(recent?[entry(limit).identifier]?.position == limit)
        #expect(log.changes(since: limit)?.isEmpty == true)
    }

    @Test func `the log holds at most twice its limit and no update larger than its limit`() {
        let limit = ElementLog.maximumCount
        func entries(_ count: Int) -> [ElementLog.Entry] {
            (0..<count).map { (number: Int) in
                ElementLog.Entry(
                    identifier: RestorationIdentifier(recorded: "\(number)"), position: number,
                    id: number)
            }
        }
        var log = ElementLog(version: 0)
        log.append(entries(1), version: 1)
        #expect(log.changes(since: 0) == nil)
        log.startLogging()
        log.append(entries(limit), version: 2)
        #expect(log.changes(since: 0) == nil)
        #expect(log.changes(since: 1)?.count == limit)
        log.append(entries(limit), version: 3)
        #expect(log.changes(since: 1)?.count == limit)
        log.append(entries(1), version: 4)
        #expect(log.changes(since: 2) == nil)
        #expect(log.changes(since: 3)?.count == 1)
        log.append(entries(limit + 1), version: 5)
        #expect(log.changes(since: 4) == nil)
        #expect(log.changes(since: 5)?.isEmpty == true)
    }
}
