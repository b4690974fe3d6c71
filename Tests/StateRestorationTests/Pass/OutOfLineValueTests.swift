import FoundationEssentials
import StateRecords
import Testing

@testable import StateRestoration

/// Large values, which an archive stores out of line.
@Suite struct OutOfLineValueTests {
    /// Returns data that occupies the given number of bytes together with its key and count.
    private func data(spanning bytes: Int, _ fill: UInt8 = 1) -> Data {
        Data(repeating: fill, count: bytes - 4)
    }

    /// Returns a saved scene with one object that encodes the given values.
    private func saved(
        _ encode: @escaping (StateEncoder) -> Void
    ) throws -> (test: TestScene, object: TestObject, pass: PassOutput) {
        let object = TestObject("nav")
        object.encoding = encode
        let test = try TestScene.launched(object)
        return (test, object, try #require(test.save()))
    }

    /// Checks a condition. The macro cannot contain a call that throws a typed error.
    private func check(_ isTrue: Bool, _ place: SourceLocation = #_sourceLocation) {
        #expect(isTrue, sourceLocation: place)
    }

    @Test func `P9: a value that exceeds 4,096 bytes with its key is stored out of line`() throws {
        let (test, _, pass) = try saved { coder in
            coder.encode(1, forKey: "first")
            coder.encode(data(spanning: 4097), forKey: "large")
            coder.encode(2, forKey: "between")
            coder.encode(data(spanning: 4096), forKey: "small")
            coder.encode(String(repeating: "a", count: 10_000), forKey: "text")
            coder.encode(3, forKey: "last")
        }
        let record = try #require(pass.objects.last)
        #expect(record.outOfLine.map(\.bytes.count) == [4097, 10_005 - 1])
        #expect(record.outOfLine.map { test.archive.names[$0.key] } == ["large", "text"])
        for value in record.outOfLine {
            var reader = ValueReader(value.bytes)
            let key = try reader.readVarint()
            #expect(key == UInt64(value.key))
            try reader.skipValue()
            #expect(reader.isAtEnd)
        }
        var kept = ValueReader(record.values)
        var keys: [String?] = []
        while !kept.isAtEnd {
            keys.append(test.archive.names[UInt32(try kept.readVarint())])
            try kept.skipValue()
        }
        #expect(keys == ["first", "between", "small", "last"])
    }

    @Test func `P9: values stored out of line belong only to the object that encoded them`() throws
    {
        let large = TestObject("large")
        large.encoding = { $0.encode(data(spanning: 5000), forKey: "data") }
        let throwing = TestObject("throwing")
        throwing.encoding = {
            $0.encode(data(spanning: 5000), forKey: "data")
            throw Refusal()
        }
        let test = try TestScene.launched(
            TestObject("nav", [large, throwing, TestObject("small", value: 1)]))
        let pass = try #require(test.save())
        let counts = pass.objects.map { "\($0.header.identifier) \($0.outOfLine.count)" }
        #expect(counts == ["main 0", "nav 0", "large 1", "throwing 0", "small 0"])
    }

    @Test func `P9: a value above the warning size is stored out of line only if it is large`() {
        let coders = Coders(limits: ValueLimits(warningBytes: 100, maximumBytes: 6000))
        coders.encoder.encode(data(spanning: 4096), forKey: "small")
        coders.encoder.encode(data(spanning: 4097), forKey: "large")
        #expect(coders.encoder.warnings.map(\.key) == ["small", "large"])
        #expect(coders.encoder.largeValues.map(\.byteRange.count) == [4097])
    }

    @Test func `P9: a value above the limit is not stored out of line`() {
        let coders = Coders(limits: ValueLimits(warningBytes: 5000, maximumBytes: 6000))
        coders.encoder.encode(data(spanning: 7000), forKey: "too large")
        coders.encoder.encode(data(spanning: 5500), forKey: "large")
        coders.encoder.encode(data(spanning: 4500), forKey: "less")
        #expect(coders.encoder.largeValues.map(\.byteRange.count) == [5500, 4500])
        #expect(coders.encoder.largeValues.first?.byteRange.lowerBound == 0)
        #expect(coders.encoder.warnings.map(\.key) == ["large"])
        #expect(coders.problems.map(\.key) == ["too large"])
    }

    @Test func `P9: a maximum below the warning size is enforced`() {
        let coders = Coders(limits: ValueLimits(warningBytes: 1000, maximumBytes: 100))
        coders.encoder.encode(data(spanning: 500), forKey: "data")
        #expect(coders.problems.map(\.key) == ["data"])
        #expect(coders.bytes.isEmpty)
    }

    @Test func `R14: large values can be decoded in any order and more than once`() throws {
        let (test, _, _) = try saved { coder in
            coder.encode(1, forKey: "first")
            coder.encode(data(spanning: 5000, 1), forKey: "one")
            coder.encode(data(spanning: 6000, 2), forKey: "two")
            coder.encode([String](repeating: "text", count: 2000), forKey: "texts")
            coder.encode(2, forKey: "last")
        }
        #expect(try test.archive.record(at: "nav").outOfLine.count == 3)
        let found = TestObject("nav")
        found.decoding = { coder in
            try check(coder.decode(Data.self, forKey: "two") == data(spanning: 6000, 2))
            try check(coder.decode(Int.self, forKey: "last") == 2)
            try check(coder.decode(Data.self, forKey: "one") == data(spanning: 5000, 1))
            try check(coder.decode(Int.self, forKey: "first") == 1)
            try check(coder.decode(Data.self, forKey: "one") == data(spanning: 5000, 1))
            try check(coder.decode([String].self, forKey: "texts")?.count == 2000)
            try check(coder.decode(Data.self, forKey: "missing") == nil)
        }
        let next = try TestScene.launched(found, archive: test.archive)
        #expect(next.report.unrestored == [])
        #expect(found.decodings == 1)
    }

    @Test func `references are read up to the first invalid value, at any depth`() {
        // Each key is followed by an array. The first array contains a reference, the second an unknown tag and a
        // reference.
        let valid: [UInt8] = [1, 9, 1, 11, 5]
        let invalid: [UInt8] = [2, 9, 2, 18, 11, 6]
        func references(_ values: [UInt8]) -> [UInt32] {
            SavedValues(values[...], outOfLine: []).references().map(\.rawValue)
        }
        #expect(references(valid) == [5])
        #expect(references(valid + invalid) == [5])
        #expect(references(invalid + valid) == [])
    }

    @Test func `R14: a large value of the wrong type is an error, and other values are decoded`()
        throws
    {
        let (test, _, _) = try saved { coder in
            coder.encode(data(spanning: 5000), forKey: "data")
            coder.encode(1, forKey: "number")
            coder.encode(String(repeating: "a", count: 5000), forKey: "text")
        }
        let found = TestObject("nav")
        found.decoding = { coder in
            let error = #expect(throws: StateDecodingError.self) {
                try coder.decode(Int.self, forKey: "data")
            }
            #expect(error?.cause == .typeMismatch(saved: "Data", requested: "Int"))
            try check(coder.decode(Int.self, forKey: "number") == 1)
            let second = #expect(throws: StateDecodingError.self) {
                try coder.decode([Int].self, forKey: "text")
            }
            #expect(second?.cause == .typeMismatch(saved: "String", requested: "[Int]"))
            try check(coder.decode(Data.self, forKey: "data") == data(spanning: 5000))
        }
        _ = try TestScene.launched(found, archive: test.archive)
        #expect(found.decodings == 1)
    }

    @Test func `R14: an invalid large value is an error, and other values are decoded`() throws {
        let names = NameTable([1: "a", 2: "b", 3: "c", 4: "d", 5: "e"])
        let source = SharedDecoderData(
            names: names, passMetadata: .test, path: { _ in "nav" }, object: { _ in nil })
        let decoder = StateDecoder(
            source, number: RecordNumber(1),
            SavedValues([1, 2, 2], outOfLine: [[2, 4, 9, 65], [], [0x80], [3, 17], [4, 1]]))
        func cause(_ key: StaticString) -> StateDecodingError.Cause? {
            do throws(StateDecodingError) {
                _ = try decoder.decode(String.self, forKey: key)
                return nil
            } catch {
                return error.cause
            }
        }
        #expect(cause("b") == .malformed(reason: ValueError.truncated.description))
        #expect(cause("c") == nil)
        #expect(cause("d") == .typeMismatch(saved: "Bool", requested: "String"))
        #expect(cause("e") == nil)
        try check(decoder.decode(Int.self, forKey: "a") == 1)
    }

    @Test func `R8: a stack whose members are a large value is restored up to a missing member`()
        throws
    {
        func tree() -> StackObject {
            let members = (0..<2000).map { (number: Int) in
                TestObject(RestorationIdentifier(recorded: "m\(number)"), value: number)
            }
            return StackObject("stack", members)
        }
        let test = try TestScene.launched(tree())
        test.save()
        #expect(try test.archive.record(at: "stack").outOfLine.count == 1)
        let next = tree()
        next.children[1000].leave()
        let launched = try TestScene.launched(next, archive: test.archive)
        #expect(launched.report.restored == 1001)
        #expect(launched.unrestored.count { $0.hasSuffix("stack-cut") } == 999)
    }

    @Test
    func `R16: objects that a large value of an unrestored object refers to keep their records`()
        throws
    {
        let others = (0..<2000).map { (number: Int) in
            TestObject(RestorationIdentifier(recorded: "o\(number)"), value: number)
        }
        let list = TestObject("list")
        list.encoding = { $0.encode(others as [any StateRestoring], forKey: "others") }
        let test = try TestScene.launched(TestObject("nav", [list]))
        test.save()
        let root = TestObject("nav")
        let next = try TestScene.launched(root, archive: test.archive) {
            $0.finding = { path, _ in
                path.components[0].text.hasPrefix("o") ? TestObject(path.components[0]) : nil
            }
        }
        next.save()
        #expect(test.archive.paths.count == 2002)
    }

    @Test func `P16: a pass after a restore of large values writes nothing`() throws {
        let encode = { (coder: StateEncoder) in
            coder.encode(1, forKey: "first")
            coder.encode(data(spanning: 5000, 1), forKey: "one")
            coder.encode(2, forKey: "between")
            coder.encode(data(spanning: 6000, 2), forKey: "two")
        }
        let (test, _, first) = try saved(encode)
        #expect(test.save(isFull: true)?.isEmpty == true)
        let found = TestObject("nav")
        found.encoding = encode
        let next = try TestScene.launched(found, archive: test.archive)
        #expect(next.save()?.isEmpty == true)

        // An archive that stores no value out of line results in the same state.
        let archive = MemoryArchive()
        var whole = first
        whole.records.objects = RecordList(
            first.objects.map { object in
                ObjectRecord(
                    header: object.header,
                    values: object.outOfLine.reduce(object.values) { $0 + $1.bytes })
            })
        archive.write(whole)
        let again = TestObject("nav")
        again.encoding = encode
        let joined = try TestScene.launched(again, archive: archive)
        #expect(joined.save()?.isEmpty == true)
    }

    @Test func `P16: large application-level values are written once and restored`() throws {
        let archive = MemoryArchive()
        func launched() throws -> TestScene {
            try TestScene.launched(TestObject("nav"), archive: archive) { delegate in
                delegate.encoding = { coder in
                    coder.encode(data(spanning: 5000), forKey: "draft")
                    coder.encode(3, forKey: "count")
                }
                delegate.restoring = { coder in
                    let count = try? coder.decode(Int.self, forKey: "count")
                    let draft = try? coder.decode(Data.self, forKey: "draft")
                    #expect(count == 3)
                    #expect(draft == data(spanning: 5000))
                }
            }
        }
        let test = try launched()
        let pass = try #require(test.save())
        let scene = try #require(pass.objects.first)
        #expect(scene.outOfLine.count == 1)
        var reader = ValueReader(try #require(scene.outOfLine.first).bytes)
        let key = try reader.readVarint()
        let tag = try reader.readTag()
        #expect(key == UInt64(scene.outOfLine[0].key))
        #expect(tag == .data)
        #expect(test.save(isFull: true)?.isEmpty == true)
        #expect(try launched().save()?.isEmpty == true)
    }

    @Test func `P18: incremental passes store changing large values as a full pass does`()
        throws
    {
        let nav = TestObject("nav")
        // The sizes are close to the limit. `isTurned` determines which value is encoded first.
        var sizes = (one: 10, two: 10, isTurned: false)
        let encode = { (coder: StateEncoder) in
            if sizes.isTurned { coder.encode(data(spanning: sizes.two, 2), forKey: "two") }
            coder.encode(sizes.one, forKey: "size")
            coder.encode(data(spanning: sizes.one, 1), forKey: "one")
            if !sizes.isTurned { coder.encode(data(spanning: sizes.two, 2), forKey: "two") }
        }
        nav.encoding = encode
        let test = try TestScene.launched(nav)
        let steps = [10, 4096, 4097, 5000, 5001, 4096]
        for (one, two) in steps.flatMap({ one in steps.map { (one, $0) } }) {
            for isTurned in [false, true] {
                sizes = (one, two, isTurned)
                nav.invalidateRestorableState()
                test.save()
                let whole = TestObject("nav")
                whole.encoding = encode
                let other = try TestScene.launched(whole)
                other.save()
                #expect(try test.archive.contents() == other.archive.contents())
                #expect(test.save(isFull: true)?.isEmpty == true)
            }
        }
    }

    @Test func `L6: the library's own values are found even if they are large`() throws {
        let children = (0..<3000).map { (number: Int) in
            TestObject(RestorationIdentifier(recorded: "c\(number)"))
        }
        let test = try TestScene.launched(TestObject("nav", children))
        test.save()
        let next = try TestScene.launched(TestObject("nav"), archive: test.archive)
        next.save()
        let saved = try #require(test.archive.savedScene)
        #expect(saved.records.outOfLineValues(at: 0).count == 1)
        let reserved = saved.reservedState(names: NameTable(test.archive.names))
        #expect(reserved.unclaimedFailedLaunchCounts.count == 3000)
        #expect(reserved.passMetadata.bundleVersion == "7")
    }
}
