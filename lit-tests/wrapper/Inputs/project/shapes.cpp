#include "shapes.h"

Shape *makeShape() { return new Shape(); }
