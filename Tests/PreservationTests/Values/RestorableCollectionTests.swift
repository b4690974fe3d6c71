import Preservation
import StateRestoration
import TestSupport
import Testing

@Suite struct RestorableCollectionTests {
    private struct Job: Codable, Equatable, Identifiable {
        var id: Int
        var title = ""
        var progress = 0
    }

    private struct Named: Codable, Equatable, Identifiable {
        var id: String
    }

    private struct Refusal: Error, Equatable {}

    /// Saves a collection "names" with the given elements, as an earlier program would.
    private func saveNames(_ ids: [String], in scratch: ScratchDirectory) async throws {
        try await withProgram(in: scratch) {
            try await $0.collection("names", of: Named.self)
        } _: { (_: Application, names: RestorableCollection<Named>) async throws in
            try await names.update { names in
                for id in ids { names.append(Named(id: id)) }
            }
        }
    }

    @Test func `elements are restored in order`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                #expect(try await jobs.elements.isEmpty)
                let reply = try await jobs.update { jobs in
                    for id in 1...5 { jobs.append(Job(id: id)) }
                    jobs.insert(Job(id: 6, title: "before 2"), at: 1)
                    jobs.move(id: 1, to: 5)
                    jobs.remove(id: 4)
                    jobs[id: 3]?.progress += 7
                    jobs[id: 7] = Job(id: 7, title: "last")
                    return jobs.map(\.id)
                }
                #expect(reply.result == [6, 2, 3, 5, 1, 7])
                #expect(reply.saved == .written)
                #expect(reply.isSaved)
                #expect(try await jobs.count == 6)
            }
            try await withProgram(in: scratch) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (application: Application, jobs: RestorableCollection<Job>) async throws in
                #expect(
                    try await jobs.elements == [
                        Job(id: 6, title: "before 2"), Job(id: 2), Job(id: 3, progress: 7),
                        Job(id: 5), Job(id: 1), Job(id: 7, title: "last"),
                    ])
                #expect(try await jobs[id: 3]?.progress == 7)
                #expect(try await jobs[id: 4] == nil)
                #expect(try await jobs.read { $0.index(id: 5) } == 3)
                #expect(try await application.report().restored == 7)
            }
        }
    }

    @Test func `a change to one element writes only that element`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                let title = String(repeating: "t", count: 100)
                try await jobs.update { jobs in
                    for id in 0..<1000 { jobs.append(Job(id: id, title: title)) }
                }
                let changes: [@Sendable (inout RestorableCollection<Job>.MutableElements) -> Void] =
                    [
                        { $0[id: 500]?.progress = 1 }, { $0.append(Job(id: 1000, title: title)) },
                        { $0.remove(id: 3) }, { $0.insert(Job(id: 3, title: title), at: 3) },
                        { $0.move(id: 999, to: 0) },
                    ]
                for change in changes {
                    let before = try #require(scratch.bytes(of: "org.example.Jobs"))
                    try await jobs.update { change(&$0) }
                    let after = try #require(scratch.bytes(of: "org.example.Jobs"))
                    #expect(after > before)
                    #expect(after - before < 400)
                }
            }
        }
    }

    @Test func `an update that throws changes nothing`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                try await jobs.update { jobs in
                    for id in 1...4 { jobs.append(Job(id: id)) }
                }
                let before = try await jobs.elements
                let bytes = scratch.bytes(of: "org.example.Jobs")
                await #expect(throws: Refusal()) {
                    try await jobs.update { jobs in
                        jobs.remove(id: 2)
                        jobs.append(Job(id: 2, title: "another"))
                        jobs.append(Job(id: 5))
                        jobs.remove(id: 5)
                        jobs.insert(Job(id: 6), at: 0)
                        jobs.move(id: 4, to: 0)
                        jobs[id: 3]?.progress = 3
                        jobs[id: 1] = nil
                        throw Refusal()
                    }
                }
                #expect(try await jobs.elements == before)
                #expect(scratch.bytes(of: "org.example.Jobs") == bytes)
                try await jobs.update { $0.append(Job(id: 5)) }
                #expect(try await jobs.elements.map(\.id) == [1, 2, 3, 4, 5])
                // An element that the update touched is saved when it changes again.
                try await jobs.update { $0[id: 3]?.progress = 9 }
                try await withScratchDirectory { (killed: ScratchDirectory) async throws in
                    try scratch.copy(to: killed)
                    try await withProgram(in: killed) {
                        try await $0.collection("jobs", of: Job.self)
                    } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                        #expect(try await jobs.elements.map(\.progress) == [0, 0, 9, 0, 0])
                    }
                }
            }
        }
    }

    @Test func `an id that is taken, changed or invalid is refused`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) { application in
                (
                    try await application.collection("jobs", of: Job.self),
                    try await application.collection("names", of: Named.self)
                )
            } _: { _, collections async throws in
                let (jobs, names) = collections
                try await jobs.update { $0.append(Job(id: 1)) }
                await expect(.elementExists, "the id \"1\"") {
                    try await jobs.update { $0.append(Job(id: 1)) }
                }
                await expect(.elementIdentifierChanged, "from \"1\" to \"2\"") {
                    try await jobs.update { $0[id: 1]?.id = 2 }
                }
                for id in [
                    "", String(repeating: "n", count: 256), String(repeating: "/", count: 90),
                ] {
                    await expect(.invalidIdentifier, "1 to 255 bytes") {
                        try await names.update { $0.append(Named(id: id)) }
                    }
                }
                #expect(try await jobs.elements == [Job(id: 1)])
                #expect(try await names.elements.isEmpty)
            }
        }
    }

    private func expect(
        _ code: RestorableValueError.Code, _ words: String, _ body: () async throws -> Void
    ) async {
        let error = await #expect(throws: RestorableValueError.self) { try await body() }
        #expect(error?.code == code)
        #expect(error.map { "\($0)" }?.contains(words) == true, "\(error as Any)")
    }

    @Test func `elements whose ids are not valid in paths are restored`() async throws {
        let ids = [
            "a/b", "a%2Fb", "@a", "a~2", "a@b", "\u{1}", "é", "e\u{301}", "%", "a\u{85}b",
            "\u{F}0", "\u{10}", "\u{1}0",
        ]
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.collection("names", of: Named.self)
            } _: { (_: Application, names: RestorableCollection<Named>) async throws in
                for id in ids where id != "e\u{301}" {
                    try await names.update { $0.append(Named(id: id)) }
                }
            }
            try await withProgram(in: scratch) {
                try await $0.collection("names", of: Named.self)
            } _: { (_: Application, names: RestorableCollection<Named>) async throws in
                #expect(try await names.elements.map(\.id) == ids.filter { $0 != "e\u{301}" })
            }
        }
    }

    @Test func `a collection is restored under another identifier and with another element type`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await saveNames(["3", "1", "2"], in: scratch)
            for _ in 0..<2 {
                try await withProgram(in: scratch, version: "2") {
                    try await $0.collection(
                        "jobs", of: Job.self, aliases: ["names"],
                        migrations: [
                            .from(Named.self) { Job(id: 10 * (Int($0.id) ?? 0), title: $0.id) }
                        ])
                } _: { (application: Application, jobs: RestorableCollection<Job>) async throws in
                    #expect(try await jobs.elements.map(\.id) == [30, 10, 20])
                    #expect(try await application.report().unrestored.isEmpty)
                    #expect(try await application.report().recorded == 4)
                    try await jobs.update { $0[id: 10]?.progress = 1 }
                }
            }
        }
    }

    @Test
    func `R15: if a migration gives two elements the same id, the second is reported and kept`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await saveNames(["12", "15", "31"], in: scratch)
            for _ in 0..<2 {
                try await withProgram(in: scratch, toleratesUnrestoredValues: true) {
                    try await $0.collection(
                        "names", of: Job.self,
                        migrations: [.from(Named.self) { Job(id: (Int($0.id) ?? 0) / 10) }])
                } _: { (application: Application, jobs: RestorableCollection<Job>) async throws in
                    #expect(try await jobs.elements.map(\.id) == [1, 3])
                    let lost = try await application.report().unrestored
                    #expect(lost.map(\.code) == [.decodeFailed])
                    #expect(lost.map(\.path.description) == ["names/15"])
                }
            }
        }
    }

    @Test
    func `R15: if a migration gives two elements the same id, the element that had the id is used`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await saveNames(["12", "1"], in: scratch)
            try await withProgram(in: scratch, toleratesUnrestoredValues: true) {
                try await $0.collection(
                    "names", of: Job.self,
                    migrations: [
                        .from(Named.self) { Job(id: Int($0.id.prefix(1)) ?? 0, title: $0.id) }
                    ])
            } _: { (application: Application, jobs: RestorableCollection<Job>) async throws in
                #expect(try await jobs.elements == [Job(id: 1, title: "1")])
                let lost = try await application.report().unrestored
                #expect(lost.map(\.path.description) == ["names/12"])
            }
        }
    }

    @Test
    func `R15: an element under the current identifier replaces one under an earlier identifier`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await saveNames(["1", "2"], in: scratch)
            // This program does not declare the earlier identifier.
            try await withProgram(in: scratch, toleratesUnrestoredValues: true) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                try await jobs.update { $0.append(Job(id: 1, title: "current")) }
            }
            try await withProgram(in: scratch, toleratesUnrestoredValues: true) {
                try await $0.collection(
                    "jobs", of: Job.self, aliases: ["names"],
                    migrations: [.from(Named.self) { Job(id: Int($0.id) ?? 0, title: "earlier") }])
            } _: { (application: Application, jobs: RestorableCollection<Job>) async throws in
                #expect(
                    try await jobs.elements == [
                        Job(id: 1, title: "current"), Job(id: 2, title: "earlier"),
                    ])
                #expect(try await application.report().unrestored.isEmpty)
            }
        }
    }

    @Test func `elements are restored in order when no position is left between two elements`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            // Each insertion halves the distance between two positions, which is 2^32 at first.
            let ids = [1] + Array((3...50).reversed()) + [2]
            try await withProgram(in: scratch) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                try await jobs.update { jobs in
                    for id in 1...2 { jobs.append(Job(id: id)) }
                    for id in 3...50 { jobs.insert(Job(id: id), at: 1) }
                }
                #expect(try await jobs.elements.map(\.id) == ids)
            }
            try await withProgram(in: scratch) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                #expect(try await jobs.elements.map(\.id) == ids)
            }
        }
    }

    @Test func `R15: an element that cannot be decoded stays saved under an earlier identifier`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await saveNames(["1", "none", "3"], in: scratch)
            for _ in 0..<2 {
                try await withProgram(in: scratch, toleratesUnrestoredValues: true) {
                    try await $0.collection(
                        "jobs", of: Job.self, aliases: ["names"],
                        migrations: [
                            .from(Named.self) { name in
                                guard let id = Int(name.id) else { throw Refusal() }
                                return Job(id: id)
                            }
                        ])
                } _: { (application: Application, jobs: RestorableCollection<Job>) async throws in
                    #expect(try await jobs.elements.map(\.id) == [1, 3])
                    let lost = try await application.report().unrestored
                    #expect(lost.map(\.path.description) == ["names/none"])
                }
            }
            try await withProgram(in: scratch, toleratesUnrestoredValues: true) {
                try await $0.collection("names", of: Named.self)
            } _: { (_: Application, names: RestorableCollection<Named>) async throws in
                #expect(try await names.elements == [Named(id: "none")])
            }
        }
    }

    @Test
    func
        `R15: an element that cannot be decoded stays saved until an element with its id is added`()
        async throws
    {
        struct Other: Codable, Identifiable {
            var id: Int
            var title: Int
        }
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch, toleratesUnrestoredValues: true) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                try await jobs.update { jobs in
                    for id in 1...2 { jobs.append(Job(id: id, title: "old")) }
                }
            }
            try await withProgram(in: scratch, toleratesUnrestoredValues: true) {
                try await $0.collection("jobs", of: Other.self)
            } _: { (application: Application, jobs: RestorableCollection<Other>) async throws in
                #expect(try await jobs.elements.isEmpty)
                let lost = try await application.report().unrestored
                #expect(lost.map(\.code) == [.decodeFailed, .decodeFailed])
                #expect(lost.map(\.path.description) == ["jobs/1", "jobs/2"])
                try await jobs.update { $0.append(Other(id: 2, title: 2)) }
                #expect(try await jobs.elements.map(\.title) == [2])
            }
            try await withProgram(in: scratch, toleratesUnrestoredValues: true) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (application: Application, jobs: RestorableCollection<Job>) async throws in
                #expect(try await jobs.elements == [Job(id: 1, title: "old")])
                #expect(
                    try await application.report().unrestored.map(\.path.description) == ["jobs/2"])
            }
        }
    }

    @Test(arguments: 1...8)
    func `P18: any sequence of changes survives a kill`(seed: UInt64) async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            var numbers = SeededNumbers(seed: seed)
            var expected: [Job] = []
            try await withProgram(in: scratch) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (application: Application, jobs: RestorableCollection<Job>) async throws in
                for step in 1...60 {
                    let edits = (0..<Int.random(in: 1...6, using: &numbers)).map { _ in
                        Edit(using: &numbers)
                    }
                    for edit in edits { edit.apply(to: &expected) }
                    let result = try await jobs.update { jobs in
                        for edit in edits { edit.apply(to: &jobs) }
                        return Array(jobs)
                    }.result
                    try #require(result == expected, "step \(step)")
                    if step % 10 != 0 { continue }
                    let elements = expected
                    try await withScratchDirectory { (other: ScratchDirectory) async throws in
                        try scratch.copy(to: other)
                        try await withProgram(in: other) {
                            try await $0.collection("jobs", of: Job.self)
                        } _: {
                            (killed: Application, jobs: RestorableCollection<Job>) async throws in
                            #expect(try await jobs.elements == elements, "step \(step)")
                            #expect(try await killed.report().recorded == elements.count + 1)
                        }
                    }
                }
            }
        }
    }

    @Test func `P14: changes of concurrent tasks that share turns survive a kill`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                for seed in 1...20 {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for task in 0..<20 {
                            group.addTask {
                                var numbers = SeededNumbers(seed: UInt64(seed * 100 + task))
                                for _ in 0..<5 {
                                    let edit = Edit(using: &numbers)
                                    try await jobs.update { edit.apply(to: &$0) }
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                    let elements = try await jobs.elements
                    try await withScratchDirectory { (other: ScratchDirectory) async throws in
                        try scratch.copy(to: other)
                        try await withProgram(in: other) {
                            try await $0.collection("jobs", of: Job.self)
                        } _: {
                            (killed: Application, jobs: RestorableCollection<Job>) async throws in
                            try #require(try await jobs.elements == elements, "seed \(seed)")
                            try #require(try await killed.report().recorded == elements.count + 1)
                        }
                    }
                }
            }
        }
    }

    @Test @MainActor func `a command can be called from any actor`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.value("count", default: 0)
            } _: { (_: Application, count: RestorableValue<Int>) async throws in
                for _ in 0..<10 { try await count.update { $0 += 1 } }
                #expect(try await count.current == 10)
            }
        }
    }

    /// Change to a collection that uses at most 12 different ids.
    private enum Edit {
        case set(Int, progress: Int)
        case insert(Int, at: Int)
        case remove(Int)
        case move(Int, to: Int)

        init(using numbers: inout SeededNumbers) {
            let id = Int.random(in: 0..<12, using: &numbers)
            let other = Int.random(in: 0..<12, using: &numbers)
            switch Int.random(in: 0..<5, using: &numbers) {
            case 0: self = .remove(id)
            case 1: self = .move(id, to: other)
            case 2: self = .insert(id, at: other)
            default: self = .set(id, progress: other)
            }
        }

        func apply(to jobs: inout RestorableCollection<Job>.MutableElements) {
            switch self {
            case .set(let id, let progress): jobs[id: id] = Job(id: id, progress: progress)
            case .insert(let id, let index):
                if jobs[id: id] == nil { jobs.insert(Job(id: id), at: min(index, jobs.count)) }
            case .remove(let id): jobs.remove(id: id)
            case .move(let id, let index):
                if jobs[id: id] != nil { jobs.move(id: id, to: min(index, jobs.count - 1)) }
            }
        }

        func apply(to jobs: inout [Job]) {
            func index(_ id: Int) -> Int? { jobs.firstIndex { $0.id == id } }
            switch self {
            case .set(let id, let progress):
                let job = Job(id: id, progress: progress)
                if let index = index(id) { jobs[index] = job } else { jobs.append(job) }
            case .insert(let id, let place):
                if index(id) == nil { jobs.insert(Job(id: id), at: min(place, jobs.count)) }
            case .remove(let id): jobs.removeAll { $0.id == id }
            case .move(let id, let place):
                guard let index = index(id) else { return }
                jobs.insert(jobs.remove(at: index), at: min(place, jobs.count))
            }
        }
    }
}

/// Changes to many elements, and invalid changes.
@Suite struct CollectionChangeTests {
    private struct Job: Codable, Equatable, Identifiable {
        var id: Int
        var title = ""
    }

    @Test func `a change is applied to a copy, whatever the copy contains`() {
        let changes: [(CollectionChange<Job>, [Int])] = [
            (.all([Job(id: 7)]), [7]), (.elements([.removed(id: 2), .removed(id: 9)]), [1, 3]),
            (.elements([.inserted(Job(id: 4), at: 1)]), [1, 4, 2, 3]),
            (
                .elements([.inserted(Job(id: 4), at: 3), .inserted(Job(id: 5), at: 9)]),
                [1, 2, 3, 4, 5]
            ),
            (.elements([.moved(Job(id: 1), to: 2)]), [2, 3, 1]),
            (.elements([.moved(Job(id: 1), to: 0), .moved(Job(id: 3), to: 9)]), [1, 2, 3]),
            (.elements([.updated(Job(id: 4), at: 2), .updated(Job(id: 5), at: 3)]), [1, 2, 4]),
            (.elements([.removed(id: 1), .removed(id: 2), .removed(id: 3)]), []),
        ]
        for (change, ids) in changes {
            var jobs = [1, 2, 3].map { Job(id: $0) }
            change.apply(to: &jobs)
            #expect(jobs.map(\.id) == ids, "\(change)")
        }
    }

    @Test
    func `a loop visits the elements that it does not remove, while it changes the collection`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.collection("jobs", of: Job.self)
            } _: { _, items async throws in
                let visited = try await items.update { items in
                    items.append(contentsOf: (0..<10).map { Job(id: $0) })
                    var visited: [Int] = []
                    for item in items {
                        visited.append(item.id)
                        if item.id < 4 { items.remove(id: item.id) }
                        if item.id == 5 { items.remove(id: 6) }
                        if item.id == 7 { items.append(Job(id: 20)) }
                        if item.id == 8 { items.move(id: 8, to: 0) }
                    }
                    return visited
                }
                #expect(visited.result == [0, 1, 2, 3, 4, 5, 7, 8, 9])
                #expect(try await items.elements.map(\.id) == [8, 4, 5, 7, 9, 20])
                try await items.update { items in
                    for item in items { items.remove(id: item.id) }
                }
                #expect(try await items.count == 0)
            }
        }
    }

    @Test func `elements are appended, replaced by index and removed by a condition`() async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                try await jobs.update { jobs in
                    jobs.append(contentsOf: (0..<6).map { Job(id: $0) })
                    jobs[1] = Job(id: 1, title: "one")
                    jobs[2].title = "two"
                    jobs.removeAll { $0.id.isMultiple(of: 3) }
                    jobs.append(Job(id: 3, title: "again"))
                }
            }
            try await withProgram(in: scratch) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                #expect(
                    try await jobs.elements == [
                        Job(id: 1, title: "one"), Job(id: 2, title: "two"), Job(id: 4), Job(id: 5),
                        Job(id: 3, title: "again"),
                    ])
                try await jobs.update { $0.removeAll { _ in false } }
                #expect(try await jobs.read { $0.count } == 5)
                try await jobs.update { $0.removeAll { _ in true } }
                #expect(try await jobs.read { $0.isEmpty })
            }
        }
    }

    @Test(arguments: [
        (-1, RestorableValueError.Code.indexOutOfRange), (3, .indexOutOfRange),
        (7, .noSuchElement), (8, .noSuchElement),
    ])
    func `an update with an invalid index or id throws an error and changes nothing`(
        number: Int, code: RestorableValueError.Code
    ) async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                try await jobs.update { $0.append(contentsOf: [Job(id: 1), Job(id: 2)]) }
                let error = await #expect(throws: RestorableValueError.self) {
                    try await jobs.update { jobs in
                        jobs[id: 1]?.title = "changed"
                        if code == .noSuchElement {
                            jobs.move(id: number, to: 0)
                        } else {
                            jobs.insert(Job(id: 9), at: number)
                        }
                    }
                }
                #expect(error?.code == code)
                #expect(error?.identifier == "\(number)")
                let move = await #expect(throws: RestorableValueError.self) {
                    try await jobs.update { $0.move(id: 1, to: 2) }
                }
                #expect(
                    move?.description
                        == "The index 2 is out of range: the collection has 2 elements.")
                #expect(try await jobs.elements == [Job(id: 1), Job(id: 2)])
            }
        }
    }
}
