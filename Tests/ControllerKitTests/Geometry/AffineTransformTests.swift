import ControllerKit
import Testing

@Suite struct AffineTransformTests {
    @Test func `a transform applies its six numbers to a point`() {
        let transform = AffineTransform(a: 1, b: 2, c: 3, d: 4, tx: 5, ty: 6)
        #expect(transform.applied(to: Point(x: 10, y: 100)) == Point(x: 315, y: 426))
        #expect(AffineTransform.identity.applied(to: Point(x: 7, y: 8)) == Point(x: 7, y: 8))
        #expect(transform.scaled(by: 2).applied(to: Point(x: 10, y: 100)) == Point(x: 630, y: 852))
    }

    @Test func `the inverse maps every point back`() throws {
        let transform = AffineTransform(a: 0, b: 2, c: -4, d: 1, tx: 3, ty: -8)
        let inverse = try #require(transform.inverted)
        for point in [Point.zero, Point(x: 1, y: 0), Point(x: -3, y: 16)] {
            #expect(inverse.applied(to: transform.applied(to: point)) == point)
        }
    }

    @Test(arguments: [0, Double.nan, .infinity, 1e300, 1e-300])
    func `a transform with a zero, non-finite or extreme scale has no inverse`(number: Double) {
        #expect(AffineTransform(scale: number).inverted == nil)
    }

    @Test func `a rotated size is the size of its bounding box`() {
        let quarter = AffineTransform(a: 0, b: 2, c: -2, d: 0, tx: 9, ty: 9)
        #expect(quarter.applied(to: Size(width: 10, height: 3)) == Size(width: 6, height: 20))
        #expect(quarter.scale == 2)
    }

    @Test(arguments: 0..<6)
    func `a transform is finite only if all of its numbers are finite`(index: Int) {
        for value in [Double.nan, .infinity, -.infinity, 0] {
            var numbers = [1.0, 2, 3, 4, 5, 6]
            numbers[index] = value
            let transform = AffineTransform(
                a: numbers[0], b: numbers[1], c: numbers[2], d: numbers[3], tx: numbers[4],
                ty: numbers[5])
            #expect(transform.isFinite == value.isFinite)
        }
    }
}
