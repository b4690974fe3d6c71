import InMemoryTracing
import RestorationTesting
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Lookups by a property, sorting, and updates of many elements.
@Suite struct CollectionLookupTests {
    struct User: Codable, Comparable, Identifiable {
        var id: Int
        var email: String
        var group = 0

        static func < (left: User, right: User) -> Bool { left.group < right.group }
    }

    private struct Refusal: Error {}

    /// Change to the users, which may be invalid.
    private enum Edit {
        case set(User)
        case insert(User, at: Int)
        case remove(Int)
        case removeGroup(Int)
        case move(Int, to: Int)
        case sort

        init(using numbers: inout SeededNumbers) {
            let id = Int.random(in: 0..<10, using: &numbers)
            let group = Int.random(in: 0..<3, using: &numbers)
            let user = User(id: id, email: "\(id % 7)", group: group)
            self =
                switch Int.random(in: 0..<8, using: &numbers) {
                case 0: .remove(id)
                case 1: .removeGroup(group)
                case 2: .move(id, to: Int.random(in: 0..<10, using: &numbers))
                case 3: .insert(user, at: Int.random(in: 0..<10, using: &numbers))
                case 4: .sort
                default: .set(user)
                }
        }

        func apply(to users: RestorableCollection<User>.MutableElements) {
            switch self {
            case .set(let user): users[id: user.id] = user
            case .insert(let user, let index): users.insert(user, at: index)
            case .remove(let id): users.remove(id: id)
            case .removeGroup(let group): users.removeAll { $0.group == group }
            case .move(let id, let index): users.move(id: id, to: index)
            case .sort: users.sort()
            }
        }

        /// Applies the change to an array, or throws an error if the change is invalid.
        func apply(to users: inout [User]) throws {
            switch self {
            case .set(let user):
                if let index = users.firstIndex(where: { $0.id == user.id }) {
                    users[index] = user
                } else {
                    users.append(user)
                }
            case .insert(let user, let index):
                guard index <= users.count, !users.contains(where: { $0.id == user.id }) else {
                    throw Refusal()
                }
                users.insert(user, at: index)
            case .remove(let id): users.removeAll { $0.id == id }
            case .removeGroup(let group): users.removeAll { $0.group == group }
            case .move(let id, let place):
                guard let index = users.firstIndex(where: { $0.id == id }), place < users.count
                else { throw Refusal() }
                users.insert(users.remove(at: index), at: place)
            case .sort:
                users = (0..<3).flatMap { group in users.filter { $0.group == group } }
            }
        }
    }

    /// Checks that lookups return the same elements as a search through all elements.
    private static func check(
        _ users: RestorableCollection<User>.Elements, _ expected: [User], step: Int
    ) throws {
        try #require(users.elementsEqual(expected), "step \(step)")
        for email in (0..<7).map(String.init) {
            let matches = expected.filter { $0.email == email }
            try #require(
                users.elements(where: \.email, equals: email) == matches, "step \(step)")
            try #require(
                users.first(where: \.email, equals: email) == matches.first, "step \(step)")
        }
        for group in 0..<3 {
            let matches = expected.filter { $0.group == group }
            try #require(
                users.elements(where: \.group, equals: group) == matches, "step \(step)")
            try #require(
                users.first(where: \.group, equals: group) == matches.first, "step \(step)")
        }
    }

    @Test(arguments: 1...4, [[CollectionIndex<User>.by(\.email), .by(\.group)], []])
    func `lookups return the matching elements after any sequence of changes`(
        seed: UInt64, indexes: [CollectionIndex<User>]
    ) async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            var numbers = SeededNumbers(seed: seed)
            var expected: [User] = []
            for _ in 0..<3 {
                try await withProgram(in: scratch) {
                    try await $0.collection("users", of: User.self, indexes: indexes)
                } _: { (_: Application, users: RestorableCollection<User>) async throws in
                    let restored = expected
                    try await users.read { try Self.check($0, restored, step: 0) }
                    for step in 1...80 {
                        let edits = (0..<Int.random(in: 1...4, using: &numbers)).map { _ in
                            Edit(using: &numbers)
                        }
                        let before = expected
                        do {
                            for edit in edits { try edit.apply(to: &expected) }
                        } catch {
                            expected = before
                        }
                        do {
                            try await users.update { users in
                                for edit in edits { edit.apply(to: users) }
                            }
                        } catch is RestorableValueError {}
                        let elements = expected
                        try await users.read { try Self.check($0, elements, step: step) }
                    }
                    #expect(
                        try await users.elements(where: \.group, equals: 1)
                            == expected.filter { $0.group == 1 })
                    #expect(
                        try await users.first(where: \.email, equals: "3")
                            == expected.first { $0.email == "3" })
                }
            }
        }
    }

    @Test func `a lookup in an update finds the changes that the update has made`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.collection("users", of: User.self, indexes: [.by(\.email)])
            } _: { (_: Application, users: RestorableCollection<User>) async throws in
                try await users.update { users in
                    users.append(User(id: 1, email: "a"))
                    users.append(User(id: 2, email: "a"))
                    #expect(users.elements(where: \.email, equals: "a").map(\.id) == [1, 2])
                    users[id: 1]?.email = "b"
                    #expect(users.first(where: \.email, equals: "a")?.id == 2)
                    #expect(users.first(where: \.email, equals: "b")?.id == 1)
                }
                await #expect(throws: Refusal.self) {
                    try await users.update { users in
                        users.removeAll { _ in true }
                        throw Refusal()
                    }
                }
                #expect(try await users.first(where: \.email, equals: "b")?.id == 1)
            }
        }
    }

    @Test func `sorting writes only the elements that move`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.collection("users", of: User.self)
            } _: { (_: Application, users: RestorableCollection<User>) async throws in
                try await users.update { users in
                    users.append(contentsOf: (0..<1000).map { User(id: $0, email: "", group: $0) })
                }
                let before = try #require(scratch.bytes(of: "org.example.Jobs"))
                try await users.update { users in
                    users[id: 700]?.group = 10
                    users.append(User(id: 1000, email: "", group: -1))
                    users.sort()
                }
                let after = try #require(scratch.bytes(of: "org.example.Jobs"))
                #expect(after - before < 400)
                try await users.update { $0.sort { $0.id > $1.id } }
            }
            try await withProgram(in: scratch) {
                try await $0.collection("users", of: User.self)
            } _: { (_: Application, users: RestorableCollection<User>) async throws in
                #expect(try await users.elements.map(\.id) == (0...1000).reversed())
            }
        }
    }

    @Test(arguments: [
        ([], []), ([1], [0]), ([1, 2, 3], [0, 1, 2]), ([3, 2, 1], [2]), ([2, 3, 1, 4], [0, 1, 3]),
        ([5, 1, 6, 2, 3], [1, 3, 4]), ([1, 1], [1]),
    ])
    func `the longest increasing subsequence keeps its positions`(
        positions: [Int], indices: [Int]
    ) {
        #expect(ElementOrder.increasingIndices(of: positions) == indices)
    }

    @Test(
        arguments: [
            (nil, nil), (0, nil), (nil, 0), (0, 1), (0, 4), (3, 3), (.min, .max), (.max, nil),
            (nil, .min), (.max - 5, nil), (.min, .min + 9), (5, 2),
        ] as [(Int?, Int?)])
    func `new positions are in order and between their neighbors, if there is room`(
        before: Int?, after: Int?
    ) {
        for count in 1...4 {
            guard
                let (first, gap) = ElementOrder.positions(count, between: before, and: after)
            else {
                #expect(before != nil || after != nil)
                if let before, let after {
                    #expect(before >= after || after - before <= count)
                }
                continue
            }
            let positions = (0..<count).map { first + $0 * gap }
            let ordered = ([before] + positions + [after]).compactMap(\.self)
            #expect(zip(ordered, ordered.dropFirst()).allSatisfy { $0 < $1 }, "\(ordered)")
        }
    }

    @Test func `100,000 elements are added in one turn with one write`() async throws {
        let tracer = InMemoryTracer()
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            var settings = PreservationSettings()
            settings.tracer = tracer
            // No interval elapses during the update.
            settings.clock = TestClock()
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: ApplicationStateDirectory(path: scratch.stateDirectory),
                settings: settings, logger: .quiet)
            let users = try await application.collection(
                "users", of: User.self, indexes: [.by(\.email)])
            async let running: Void = application.run()
            try await application.waitUntilReady()
            tracer.clearFinishedSpans()
            let reply = try await users.update { users in
                users.append(contentsOf: (0..<100_000).lazy.map { User(id: $0, email: "\($0)") })
            }
            #expect(reply.isSaved)
            let spans = tracer.finishedSpans
            let write = try #require(spans.first { $0.operationName == "reprise.write" })
            #expect(spans.count { $0.operationName == "reprise.write" } == 1)
            let passes = spans.filter { $0.operationName == "reprise.pass" }
            #expect(passes.map(\.parentSpanID) == [write.parentSpanID])
            #expect(try await users.count == 100_000)
            #expect(try await users.first(where: \.email, equals: "77777")?.id == 77_777)
            try await application.quit()
            try await running
        }
    }
}
