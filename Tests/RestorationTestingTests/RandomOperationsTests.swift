import FoundationEssentials
import Preservation
import RestorationTesting
import TestSupport
import Testing

private struct Job: Codable, Identifiable, Equatable {
    let id: Int
    var group: Int
    var progress = 0
    var deadline: Date?
}

private struct Stats: Codable, Equatable {
    var total = 0
}

private struct Parts {
    let waiting: RestorableCollection<Job>
    let finished: RestorableCollection<Job>
    let stats: RestorableValue<Stats>
}

/// State that the program should have.
private struct Model: Equatable {
    var waiting: [Job] = []
    var finished: [Job] = []
    var stats = Stats()

    /// Removes the elements that have expired.
    mutating func removeExpired(at time: Date) {
        waiting.removeAll { $0.deadline.map { $0 <= time } ?? false }
    }
}

/// A change that an update refuses.
private struct Refusal: Error {}

/// A change of the state, for the program and for the model.
private enum Edit {
    case append(Job)
    case appendFinished([Job])
    case insert(Job, at: Int)
    case set(Job)
    case remove(id: Int)
    case move(id: Int, to: Int)
    case setProgress(id: Int, to: Int)
    case setDeadline(id: Int, to: Date?)
    case sort
    case removeGroup(Int)
    case finish(id: Int)
    case count(Int)
    case refuse

    static func random(_ numbers: inout SeededNumbers, at time: Date) -> Edit {
        let id = numbers.below(24)
        let index = numbers.below(12)
        let deadline = numbers.happens(percent: 30) ? time + Double(numbers.below(90) + 1) : nil
        let job = Job(id: id, group: numbers.below(4), deadline: deadline)
        switch numbers.below(24) {
        case 0...3: return .append(job)
        case 4: return .appendFinished((0..<3).map { Job(id: id + 100 * $0, group: $0) })
        case 5...6: return .insert(job, at: index)
        case 7...8: return .set(job)
        case 9...10: return .remove(id: id)
        case 11...12: return .move(id: id, to: index)
        case 13...15: return .setProgress(id: id, to: numbers.below(100))
        case 16: return .setDeadline(id: id, to: deadline)
        case 17: return .sort
        case 18: return .removeGroup(numbers.below(4))
        case 19...20: return .finish(id: id)
        case 21...22: return .count(numbers.below(9))
        default: return .refuse
        }
    }

    func apply(to model: inout Model) throws {
        func index(_ id: Int) -> Int? { model.waiting.firstIndex { $0.id == id } }
        switch self {
        case .append(let job): try insert(job, at: model.waiting.count, into: &model.waiting)
        case .appendFinished(let jobs):
            for job in jobs { try insert(job, at: model.finished.count, into: &model.finished) }
        case .insert(let job, let position): try insert(job, at: position, into: &model.waiting)
        case .set(let job):
            if let index = index(job.id) {
                model.waiting[index] = job
            } else {
                model.waiting.append(job)
            }
        case .remove(let id): model.waiting.removeAll { $0.id == id }
        case .move(let id, let position):
            guard let index = index(id), model.waiting.indices.contains(position) else {
                throw Refusal()
            }
            model.waiting.insert(model.waiting.remove(at: index), at: position)
        case .setProgress(let id, let progress):
            if let index = index(id) { model.waiting[index].progress = progress }
        case .setDeadline(let id, let deadline):
            if let index = index(id) { model.waiting[index].deadline = deadline }
        case .sort:
            // The standard library's sort is stable.
            model.waiting.sort { $0.group < $1.group }
        case .removeGroup(let group): model.waiting.removeAll { $0.group == group }
        case .finish(let id):
            guard let index = index(id) else { return }
            let job = model.waiting.remove(at: index)
            try insert(job, at: model.finished.count, into: &model.finished)
        case .count(let number): model.stats.total += number
        case .refuse: throw Refusal()
        }
    }

    private func insert(_ job: Job, at index: Int, into jobs: inout [Job]) throws {
        guard (0...jobs.count).contains(index), !jobs.contains(where: { $0.id == job.id }) else {
            throw Refusal()
        }
        jobs.insert(job, at: index)
    }

    func apply(
        _ waiting: RestorableCollection<Job>.MutableElements,
        _ finished: RestorableCollection<Job>.MutableElements, _ stats: MutableValue<Stats>
    ) throws {
        switch self {
        case .append(let job): waiting.append(job)
        case .appendFinished(let jobs): finished.append(contentsOf: jobs)
        case .insert(let job, let index): waiting.insert(job, at: index)
        case .set(let job): waiting[id: job.id] = job
        case .remove(let id): waiting.remove(id: id)
        case .move(let id, let index): waiting.move(id: id, to: index)
        case .setProgress(let id, let progress): waiting[id: id]?.progress = progress
        case .setDeadline(let id, let deadline):
            if let index = waiting.index(id: id) { waiting[index].deadline = deadline }
        case .sort: waiting.sort { $0.group < $1.group }
        case .removeGroup(let group): waiting.removeAll { $0.group == group }
        case .finish(let id): if let job = waiting.remove(id: id) { finished.append(job) }
        case .count(let number): stats.total += number
        case .refuse: throw Refusal()
        }
    }
}

/// Random operations on values and collections, with kills, stops, full disks, cancelled tasks and expired elements.
///
/// The state is compared with a model. `REPRISE_RANDOM_OPERATIONS` is the number of operations for each seed, and
/// `REPRISE_RANDOM_SEED` replaces the seeds.
@Suite struct RandomOperationsTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let operationCount =
        environment["REPRISE_RANDOM_OPERATIONS"].flatMap { Int($0) } ?? 2_000
    static let seeds: [UInt64] =
        environment["REPRISE_RANDOM_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? [1, 2]

    /// The program under test, its model, and the states that may be saved.
    private struct Walk {
        var numbers: SeededNumbers
        var model = Model()
        /// Models of the states that a kill may leave: the last saved state, and later states that could not be saved.
        var savedModels = [Model()]
        var isDiskFull = false
        var operationCount = 0

        mutating func changeDidSucceed(_ newModel: Model) {
            model = newModel
            savedModels = [newModel]
        }

        mutating func changeIsUnsaved(_ newModel: Model) {
            model = newModel
            savedModels.append(newModel)
        }
    }

    private static let make: @Sendable (TestEnvironment) async throws -> (Application, Parts) = {
        test in
        let application = try Application(
            bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
            stateDirectory: test.stateDirectory, settings: test.settings, logger: test.logger)
        let parts = Parts(
            waiting: try await application.collection(
                "waiting", of: Job.self, indexes: [.by(\.group)], expires: \.deadline),
            finished: try await application.collection("finished", of: Job.self),
            stats: try await application.value("stats", default: Stats()))
        return (application, parts)
    }

    @Test(arguments: seeds)
    func `values and collections equal a model after random operations`(seed: UInt64) async throws {
        var walk = Walk(numbers: SeededNumbers(seed: seed))
        var program = try TestProgram(Self.make)
        while walk.operationCount < Self.operationCount {
            // Each program stores the state of all its runs.
            let time = program.clock.date
            program = try TestProgram(after: program, Self.make)
            program.clock.advance(by: .seconds(time.timeIntervalSince(program.clock.date)))
            for _ in 0..<20 {
                let end = walk.numbers.happens(percent: 70) ? TestProgram<Parts>.End.kill : .stop
                walk = try await program.run(endingBy: end) { application, parts async throws in
                    var walk = walk
                    try await launchDidEnd(&walk, program, application, parts)
                    for _ in 0..<(walk.numbers.below(80) + 1) {
                        try await performOperation(&walk, program, application, parts)
                    }
                    if end == .stop {
                        program.disk.recover()
                        walk.isDiskFull = false
                    }
                    return walk
                }
                if end == .stop { walk.savedModels = [walk.model] }
                if walk.numbers.happens(percent: 20) { program.clock.advance(by: .seconds(40)) }
            }
        }
    }

    private func launchDidEnd(
        _ walk: inout Walk, _ program: TestProgram<Parts>, _ application: Application,
        _ parts: Parts
    ) async throws {
        program.disk.recover()
        walk.isDiskFull = false
        let found = try await state(program, application, parts)
        let expected = walk.savedModels.map { model in
            var model = model
            model.removeExpired(at: program.clock.date)
            return model
        }
        try #require(expected.contains(found), "\(walk.operationCount): \(found)")
        walk.changeDidSucceed(found)
    }

    private func performOperation(
        _ walk: inout Walk, _ program: TestProgram<Parts>, _ application: Application,
        _ parts: Parts
    ) async throws {
        walk.operationCount += 1
        switch walk.numbers.below(40) {
        case 0: program.clock.advance(by: .seconds(walk.numbers.below(60) + 1))
        case 1:
            // A full disk usually stays full until the run ends.
            walk.isDiskFull.toggle()
            if walk.isDiskFull { program.disk.fail() } else { program.disk.recover() }
        case 2...4:
            try await performChange(&walk, program, application, parts, isCancelled: true)
        case 5: try await performConcurrentChanges(&walk, parts)
        case 6...10:
            walk.model.removeExpired(at: program.clock.date)
            try #require(try await state(program, application, parts) == walk.model)
        default: try await performChange(&walk, program, application, parts)
        }
    }

    /// Makes a random change, and returns the edits and the model after it, or `nil` if the change must be refused.
    private func randomChange(
        _ walk: inout Walk, _ program: TestProgram<Parts>
    ) -> (edits: [Edit], newModel: Model?) {
        let time = program.clock.date
        walk.model.removeExpired(at: time)
        let edits = (0...walk.numbers.below(3)).map { _ in Edit.random(&walk.numbers, at: time) }
        var newModel = walk.model
        do {
            for edit in edits { try edit.apply(to: &newModel) }
            return (edits, newModel)
        } catch {
            return (edits, nil)
        }
    }

    private func performChange(
        _ walk: inout Walk, _ program: TestProgram<Parts>, _ application: Application,
        _ parts: Parts, isCancelled: Bool = false
    ) async throws {
        let (edits, newModel) = randomChange(&walk, program)
        let change = Task {
            _ = try await application.update(parts.waiting, parts.finished, parts.stats) {
                for edit in edits { try edit.apply($0, $1, $2) }
            }
        }
        if isCancelled {
            if walk.numbers.happens(percent: 50) { await Task.yield() }
            change.cancel()
        }
        let result = await change.result
        let found = try await state(program, application, parts)
        let description = "\(walk.operationCount): \(edits)"
        do {
            try result.get()
            try #require(found == newModel, "\(description)")
            walk.changeDidSucceed(found)
        } catch is CancellationError where isCancelled {
            // A change that has run before the cancellation remains, and is saved like any other change.
            try #require(found == walk.model || found == newModel, "\(description)")
            walk.changeIsUnsaved(found)
        } catch is UnsavedChange {
            try #require(walk.isDiskFull && found == newModel, "\(description)")
            walk.changeIsUnsaved(found)
        } catch let error where error is RestorableValueError || error is Refusal {
            try #require(newModel == nil && found == walk.model, "\(description)")
        }
    }

    private func performConcurrentChanges(_ walk: inout Walk, _ parts: Parts) async throws {
        let unsavedCount = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 1...4 {
                group.addTask {
                    do {
                        try await parts.stats.update { $0.total += number }
                        return true
                    } catch is UnsavedChange {
                        return false
                    }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 0 : 1 }
        }
        var newModel = walk.model
        newModel.stats.total += 10
        if unsavedCount == 0 {
            walk.changeDidSucceed(newModel)
        } else {
            try #require(walk.isDiskFull)
            walk.changeIsUnsaved(newModel)
        }
    }

    /// Returns the program's state, after comparing searches with it.
    private func state(
        _ program: TestProgram<Parts>, _ application: Application, _ parts: Parts
    ) async throws -> Model {
        try await application.read(parts.waiting, parts.finished, parts.stats) {
            waiting, finished, stats in
            let model = Model(
                waiting: Array(waiting), finished: Array(finished), stats: stats)
            for group in 0..<4 {
                let matching = model.waiting.filter { $0.group == group }
                #expect(waiting.elements(where: \.group, equals: group) == matching)
                #expect(waiting.first(where: \.group, equals: group) == matching.first)
            }
            return model
        }
    }
}
