import FoundationEssentials
import StateRecords
import StateRestoration
import Testing

/// Values near the size above which they are stored out of line.
@Suite struct InlineLargeValueTests {
    /// Returns data that occupies the given number of bytes together with its key and count.
    private func data(spanning byteCount: Int, _ fill: UInt8 = 1) -> Data {
        Data(repeating: fill, count: byteCount - 4)
    }

    @Test(arguments: [4096, 4097], [false, true])
    func `P16: a value that an archive stores inline is not written again if it is unchanged`(
        byteCount: Int, hasOtherValue: Bool
    ) throws {
        func root() -> TestObject {
            let root = TestObject("nav")
            root.encoding = { coder in
                if hasOtherValue { coder.encode(1, forKey: "other") }
                coder.encode(data(spanning: byteCount), forKey: "data")
            }
            return root
        }
        let saved = try TestScene.launched(root())
        var output = try #require(saved.save())
        #expect(try saved.archive.record(at: "nav").outOfLine.count == (byteCount > 4096 ? 1 : 0))
        output.records.objects = RecordList(
            output.objects.map { object in
                ObjectRecord(
                    header: object.header,
                    values: object.outOfLine.reduce(object.values) { $0 + $1.bytes })
            })
        let archive = MemoryArchive()
        archive.write(output)
        let test = try TestScene.launched(root(), archive: archive)
        #expect(test.save()?.isEmpty == true)
    }

    @Test func `P2: several large application-level values are restored`() throws {
        let saved = try TestScene.launched(TestObject("nav"))
        saved.delegate.encoding = { coder in
            coder.encode(data(spanning: 5000, 1), forKey: "first")
            coder.encode(1, forKey: "between")
            coder.encode(data(spanning: 6000, 2), forKey: "second")
        }
        let output = try #require(saved.save())
        #expect(output.objects.first?.outOfLine.count == 2)
        var restored: [Data?] = []
        _ = try TestScene.launched(TestObject("nav"), archive: saved.archive) {
            $0.decoding = { coder in
                for key in ["first", "second"] as [StaticString] {
                    restored.append(try? coder.decode(Data.self, forKey: key))
                }
            }
        }
        #expect(restored == [data(spanning: 5000, 1), data(spanning: 6000, 2)])
    }
}
