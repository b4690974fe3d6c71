import ControllerKit
import FoundationEssentials
import Testing

@Suite struct ImageTests {
    private func data(_ header: String, _ pixels: [UInt8] = []) -> Data {
        Data(header.utf8) + Data(pixels)
    }

    @Test(arguments: [
        "P5 3 2 255\n", "P5\n3\n2\n255 ", "P5\t\u{0B}\u{0C}\r\n3 2\r\n255\t",
        "P5 # a comment\n# another\n3#x\n2 # 9 9 9\r255\n", "P5#\n003 02 0255\n",
    ])
    func `an image header is read in every valid form`(header: String) throws {
        let bytes = data(header, [0, 51, 102, 153, 204, 255])
        let image = try Image(data: bytes)
        #expect([image.width, image.height] == [3, 2])
        #expect(image.data == bytes)
        #expect(
            (0..<2).map { y in (0..<3).map { image.brightness(x: $0, y: y) } } == [
                [0, 0.2, 0.4], [0.6, 0.8, 1],
            ])
    }

    @Test func `white can be a value other than 255, and greater values are white`() throws {
        let image = try Image(data: data("P5 3 1 4\n", [1, 4, 200]))
        #expect((0..<3).map { image.brightness(x: $0, y: 0) } == [0.25, 1, 1])
    }

    @Test func `data after the image is ignored`() throws {
        #expect(try Image(data: data("P5 1 1 255\n", [9, 9, 9])).width == 1)
    }

    @Test func `an image is read from a slice of larger data`() throws {
        let bytes = data("xxxP5 2 1 255\n", [0, 255])
        #expect(try Image(data: bytes[3...]).brightness(x: 1, y: 0) == 1)
    }

    @Test(arguments: [
        ("", ImageError.notPGM), ("P", .notPGM), ("P5", .notPGM), ("P51 1 255\n", .notPGM),
        ("P6 1 1 255\n", .notPGM), ("\u{89}PNG", .notPGM),
        ("P5 ", .malformedHeader(field: "width")),
        ("P5 x 1 255\n", .malformedHeader(field: "width")),
        ("P5 -1 1 255\n", .malformedHeader(field: "width")),
        ("P5 1", .malformedHeader(field: "height")),
        ("P5 1 # 1", .malformedHeader(field: "height")),
        ("P5 1 1", .malformedHeader(field: "maximum value")),
        ("P5 1 1 255", .malformedHeader(field: "maximum value")),
        ("P5 1 1 255#\n", .malformedHeader(field: "maximum value")),
        ("P5 0 1 255\n", .outOfBounds(field: "width", bounds: 1...4096)),
        ("P5 1 4097 255\n", .outOfBounds(field: "height", bounds: 1...4096)),
        ("P5 99999999999999999999999999 1 255\n", .outOfBounds(field: "width", bounds: 1...4096)),
        ("P5 1 1 256\n", .outOfBounds(field: "maximum value", bounds: 1...255)),
        ("P5 1 1 0\n", .outOfBounds(field: "maximum value", bounds: 1...255)),
        ("P5 1 1 255\n", .truncated(pixels: 0, expected: 1)),
        ("P5 4096 4096 255\nxy", .truncated(pixels: 2, expected: 4096 * 4096)),
    ])
    func `invalid image data is rejected with a specific error`(text: String, error: ImageError) {
        #expect(throws: error) { try Image(data: Data(text.utf8)) }
        #expect(!error.description.isEmpty)
    }

    @Test func `image data larger than 16 MiB is rejected`() {
        let bytes = data("P5 1 1 255\n", Array(repeating: 0, count: Image.maximumBytes))
        #expect(
            throws: ImageError.tooLarge(bytes: Image.maximumBytes + 11, maximum: Image.maximumBytes)
        ) {
            try Image(data: bytes)
        }
    }

    @Test func `no image data causes a trap`() {
        let good = Array(data("P5 # c\n 3 2 255\n", [1, 2, 3, 4, 5, 6]))
        for count in 0...good.count { _ = try? Image(data: Data(good[..<count])) }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5_000 {
            var bytes = good
            for _ in 0..<3 {
                let index = Int.random(in: bytes.indices, using: &generator)
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let image = try? Image(data: Data(bytes)) else { continue }
            _ = image.brightness(x: image.width - 1, y: image.height - 1)
        }
    }
}
