import ControllerKit
import FoundationEssentials
import Testing

/// Tests the limits of images, of the views that show them, and of transforms.
@Suite struct ImageLimitTests {
    private static func image(_ side: Int) throws -> Image {
        try Image(data: Data("P5 \(side) \(side) 255\n".utf8) + Data(count: side * side))
    }

    @Test func `image data can be as large as the maximum, but no larger`() throws {
        let header = Data("P5 1 1 255\n".utf8)
        let largest = header + Data(count: Image.maximumBytes - header.count)
        #expect(try Image(data: largest).data.count == Image.maximumBytes)
        let error = ImageError.tooLarge(bytes: largest.count + 1, maximum: Image.maximumBytes)
        #expect(throws: error) { try Image(data: largest + Data(count: 1)) }
    }

    @Test(arguments: [
        Rect(origin: Point(x: .nan, y: 0), size: Size(width: 1, height: 1)),
        Rect(origin: Point(x: 0, y: .infinity), size: Size(width: 1, height: 1)),
        Rect(origin: .zero, size: Size(width: -1, height: 1)),
        Rect(origin: .zero, size: Size(width: 1, height: -1)),
        Rect(origin: .zero, size: Size(width: .nan, height: 1)),
        Rect(origin: .zero, size: Size(width: 1, height: .infinity)),
    ])
    func `setting invalid bounds has no effect`(bounds: Rect) {
        let view = ImageView()
        let valid = Rect(origin: Point(x: 1, y: 2), size: Size(width: 3, height: 0))
        view.bounds = valid
        view.bounds = bounds
        #expect(view.bounds == valid)
    }

    @Test func `V5: zooming replaces a transform that would become infinite`() throws {
        let view = ImageView()
        view.image = try Self.image(8)
        view.transform = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 1e308, ty: 0)
        try view.zoom(to: 4)
        #expect(view.transform == AffineTransform(scale: 4))
    }

    @Test(arguments: [Double.leastNonzeroMagnitude, -Double.leastNonzeroMagnitude])
    func `a transform whose inverse would be infinite has no inverse`(scale: Double) {
        let transform = AffineTransform(a: scale, b: 0, c: 0, d: 1, tx: 0, ty: 0)
        #expect(transform.inverted == nil)
    }
}
